// einsum: parses the equation, permutes operands to one order of labels, and multiplies them pair
// by pair.

#include <ATen/native/common/ExpandUtils.h>
#include <ATen/native/common/TensorIterator.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/diagonal.h>
#include <ATen/ops/einsum_native.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/permute.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/unsqueeze.h>

namespace at::native {
namespace {

// Labels 0..51 are letters; those from kEllipsis on are the dimensions that "..." covers.
constexpr int kEllipsis = 52;
constexpr int kMaxLabels = 52 + 64;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
int label_of(char c) { return c >= 'A' && c <= 'Z' ? c - 'A' : 26 + c - 'a'; }
char letter_of(int label) { return static_cast<char>(label < 26 ? 'A' + label : 'a' + label - 26); }

// The labels of one operand; -1 is the ellipsis.
std::vector<int> read_labels(std::string_view text, const char* where) {
  std::vector<int> labels;
  bool ellipsis = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ') continue;
    if (text[i] == '.') {
      TORCH_CHECK(text.substr(i, 3) == "...", "einsum(): found '.' for ", where,
                  " that is not part of any ellipsis");
      TORCH_CHECK(!ellipsis, "einsum(): found '.' for ", where,
                  " for which an ellipsis was already found");
      ellipsis = true;
      labels.push_back(-1);
      i += 2;
      continue;
    }
    TORCH_CHECK(is_letter(text[i]), "einsum(): invalid subscript given for ", where,
                " in the equation string, subscripts must be in [a-zA-Z], got '",
                std::string(1, text[i]), "'");
    labels.push_back(label_of(text[i]));
  }
  return labels;
}

// An operand whose dimensions are `labels`, ordered by their axes.
struct Term {
  Tensor tensor;
  std::vector<bool> has;  // indexed by axis
};

// Takes the diagonal of repeated labels in one operand; every axis of the equation gets a
// dimension, of size 1 if the operand lacks it.
Term make_term(const Tensor& operand, const std::vector<int>& labels,
               const std::vector<int>& axis_of, int axes, int64_t ellipsis_dims, size_t number) {
  Tensor t = operand;
  std::vector<int64_t> dim_of(axes, -1);
  int64_t dim = 0;
  int64_t mine = operand.dim() - (static_cast<int64_t>(labels.size()) - 1);
  for (int label : labels) {
    if (label < 0) {
      for (int64_t e = 0; e < mine; ++e)
        dim_of[axis_of[kEllipsis + ellipsis_dims - mine + e]] = dim++;
      continue;
    }
    int axis = axis_of[label];
    if (dim_of[axis] < 0) {
      dim_of[axis] = dim++;
      continue;
    }
    int64_t first = dim_of[axis];
    TORCH_CHECK(t.sizes()[first] == t.sizes()[dim], "einsum(): subscript ",
                std::string(1, letter_of(label)), " is repeated for operand ", number,
                " but the sizes don't match, ", t.sizes()[dim], " != ", t.sizes()[first]);
    // diagonal puts the joined dimension last; move it back to the first one's position.
    t = at::diagonal(t, 0, first, dim);
    DimVector order;
    for (int64_t d = 0; d < t.dim() - 1; ++d) order.push_back(d);
    order.insert(order.begin() + first, t.dim() - 1);
    t = at::permute(t, order);
  }
  DimVector order;
  Term term{Tensor(), std::vector<bool>(axes, false)};
  for (int a = 0; a < axes; ++a) {
    if (dim_of[a] < 0) continue;
    term.has[a] = true;
    order.push_back(dim_of[a]);
  }
  t = at::permute(t, order);
  for (int a = 0; a < axes; ++a) {
    if (!term.has[a]) t = at::unsqueeze(t, a);
  }
  term.tensor = t;
  return term;
}

// The product of two terms, summed over the axes in `summed` (which no other term has).
Tensor contract(Tensor a, Tensor b, const std::vector<bool>& summed) {
  int64_t axes = a.dim();
  DimVector batch, left, right, inner;  // axes
  for (int64_t d = 0; d < axes; ++d) {
    int64_t x = a.sizes()[d], y = b.sizes()[d];
    if (summed[d]) {
      if (x == 1 || y == 1) {
        // Only one of them varies along the axis: sum that one now.
        if (x != 1) a = at::sum(a, IntArrayRef(d), true);
        if (y != 1) b = at::sum(b, IntArrayRef(d), true);
        batch.push_back(d);
      } else {
        TORCH_CHECK(x == y, "einsum(): the sizes of a summed dimension do not match: ", x, " and ",
                    y);
        inner.push_back(d);
      }
    } else if (x != 1 && y != 1) {
      TORCH_CHECK(x == y,
                  "einsum(): operands do not broadcast with remapped shapes [original->remapped]: ",
                  a.sizes(), " and ", b.sizes());
      batch.push_back(d);
    } else if (y == 1) {
      (x == 1 ? batch : left).push_back(d);
    } else {
      right.push_back(d);
    }
  }
  auto size = [](const Tensor& t, const DimVector& dims) {
    int64_t n = 1;
    for (int64_t d : dims) n *= t.sizes()[d];
    return n;
  };
  auto arrange = [&](const Tensor& t, const DimVector& p, const DimVector& q, const DimVector& r,
                     const DimVector& rest) {
    DimVector order;
    for (const DimVector* dims : {&p, &q, &r, &rest}) order.append(dims->begin(), dims->end());
    return at::reshape(at::permute(t, order), {size(t, p), size(t, q), size(t, r)});
  };
  if (inner.empty()) return at::mul(a, b);
  if (a.scalar_type() != b.scalar_type() && isIntegralType(a.scalar_type(), true) &&
      isIntegralType(b.scalar_type(), true)) {
    // Summing integers promotes a term to 64 bits.
    ScalarType type = promoteTypes(a.scalar_type(), b.scalar_type());
    a = at::_to_copy(a, type);
    b = at::_to_copy(b, type);
  }
  DimVector shape;
  for (const DimVector* dims : {&batch, &left, &inner, &right}) {
    for (int64_t d : *dims) {
      bool gone = dims == &inner;
      shape.push_back(gone ? 1 : std::max(a.sizes()[d], b.sizes()[d]));
      if (a.sizes()[d] == 0 || b.sizes()[d] == 0) shape.back() = gone ? 1 : 0;
    }
  }
  Tensor product =
      at::bmm(arrange(a, batch, left, inner, right), arrange(b, batch, inner, right, left));
  product = at::reshape(product, shape);
  DimVector order(axes);
  int64_t at = 0;
  for (const DimVector* dims : {&batch, &left, &inner, &right}) {
    for (int64_t d : *dims) order[d] = at++;
  }
  return at::permute(product, order);
}

// The parsed equation.
struct Equation {
  std::vector<std::vector<int>> labels;  // one list per operand
  std::optional<std::vector<int>> output;
  int count[kMaxLabels] = {};  // how often each label appears in the operands
  bool any_ellipsis = false;
  int64_t ellipsis_dims = 0;  // the number of dimensions that "..." covers
};

std::vector<std::vector<int>> split_operands(std::string_view inputs) {
  TORCH_CHECK(
      inputs.find('>') == std::string_view::npos && inputs.find('-') == std::string_view::npos,
      "einsum(): found '-' or '>' outside of '->' in the equation string");
  std::vector<std::vector<int>> labels;
  for (size_t begin = 0;;) {
    size_t comma = inputs.find(',', begin);
    labels.push_back(read_labels(
        inputs.substr(begin, comma == std::string_view::npos ? comma : comma - begin), "operand"));
    if (comma == std::string_view::npos) return labels;
    begin = comma + 1;
  }
}

// Counts the labels, and checks them against the dimensions of each operand.
void count_labels(Equation& e, TensorList operands) {
  for (size_t k = 0; k < operands.size(); ++k) {
    bool dots = false;
    for (int l : e.labels[k]) {
      dots |= l < 0;
      if (l >= 0) ++e.count[l];
    }
    int64_t named = static_cast<int64_t>(e.labels[k].size()) - dots, rank = operands[k].dim();
    TORCH_CHECK(dots ? named <= rank : named == rank,
                "einsum(): the number of subscripts in the equation (", named,
                dots ? ") is more than" : ") does not match", " the number of dimensions (", rank,
                ") for operand ", k, dots ? "" : " and no ellipsis was given");
    if (dots) e.ellipsis_dims = std::max(e.ellipsis_dims, rank - named);
    e.any_ellipsis |= dots;
  }
  TORCH_CHECK(e.ellipsis_dims <= 64, "einsum(): too many dimensions");
}

void check_output(const Equation& e) {
  int seen[kMaxLabels] = {};
  for (int l : *e.output) {
    if (l < 0) continue;
    TORCH_CHECK(e.count[l] > 0, "einsum(): output subscript ", std::string(1, letter_of(l)),
                " does not appear in the equation for any input operand");
    TORCH_CHECK(seen[l]++ == 0, "einsum(): output subscript ", std::string(1, letter_of(l)),
                " appears more than once in the output");
  }
}

Equation read_equation(std::string_view text, TensorList operands) {
  size_t arrow = text.find("->");
  Equation e;
  e.labels = split_operands(text.substr(0, arrow));
  TORCH_CHECK(e.labels.size() >= operands.size(),
              "einsum(): more operands were provided than specified in the equation");
  TORCH_CHECK(e.labels.size() <= operands.size(),
              "einsum(): fewer operands were provided than specified in the equation");
  count_labels(e, operands);
  if (arrow != std::string_view::npos) {
    e.output = read_labels(text.substr(arrow + 2), "the output");
    check_output(e);
  }
  return e;
}

// The labels of the output: those of the equation, or the ellipsis followed by those that appear
// once, in alphabetical order.
std::vector<int> output_labels(const Equation& e) {
  if (e.output) return *e.output;
  std::vector<int> out;
  if (e.any_ellipsis) out.push_back(-1);
  for (int l = 0; l < kEllipsis; ++l) {
    if (e.count[l] == 1) out.push_back(l);
  }
  return out;
}

// The axis of each label: first those of the output, in order, then those that are summed.
struct Axes {
  std::vector<int> of = std::vector<int>(kMaxLabels, -1);
  int count = 0, in_output = 0;

  explicit Axes(const Equation& e) {
    bool has_ellipsis = false;
    const std::vector<int> labels = output_labels(e);
    for (int l : labels) {
      if (l >= 0) of[l] = count++;
      else add_ellipsis(e);
      has_ellipsis |= l < 0;
    }
    in_output = count;
    if (!has_ellipsis) add_ellipsis(e);
    for (int l = 0; l < kEllipsis; ++l) {
      if (e.count[l] > 0 && of[l] < 0) of[l] = count++;
    }
  }

 private:
  void add_ellipsis(const Equation& e) {
    for (int64_t k = 0; k < e.ellipsis_dims; ++k) of[kEllipsis + k] = count++;
  }
};

// Throws unless every axis has one size, up to broadcasting.
void check_sizes(const std::vector<Term>& terms, int axes) {
  DimVector sizes(axes, 1);
  for (const Term& t : terms) {
    for (int a = 0; a < axes; ++a) {
      int64_t s = t.tensor.sizes()[a];
      TORCH_CHECK(s == 1 || sizes[a] == 1 || s == sizes[a], "einsum(): subscript at axis ", a,
                  " has size ", s, " which does not broadcast with previously seen size ",
                  sizes[a]);
      if (s != 1) sizes[a] = s;
    }
  }
}

// The product of terms i and j, summed over the axes that neither the output nor another term has.
Term multiply(const std::vector<Term>& terms, size_t i, size_t j, const Axes& axes) {
  std::vector<bool> summed(axes.count, false);
  for (int a = axes.in_output; a < axes.count; ++a) {
    summed[a] = true;
    for (size_t k = 0; k < terms.size(); ++k) {
      if (k != i && k != j && terms[k].has[a]) summed[a] = false;
    }
  }
  Term product{contract(terms[i].tensor, terms[j].tensor, summed),
               std::vector<bool>(axes.count, false)};
  for (int a = 0; a < axes.count; ++a)
    product.has[a] = (terms[i].has[a] || terms[j].has[a]) && !summed[a];
  return product;
}

// The terms multiplied in step `step` of a contraction path, in order.
std::pair<size_t, size_t> pair_of(IntArrayRef path, size_t step, size_t num_terms) {
  TORCH_CHECK(2 * step + 1 < path.size(), "einsum(): path is too short");
  const auto i = static_cast<size_t>(path[2 * step]), j = static_cast<size_t>(path[2 * step + 1]);
  TORCH_CHECK(i < num_terms && j < num_terms && i != j,
              "einsum(): invalid contraction path, got positions ", i, " and ", j, " of ",
              num_terms, " operands");
  return {std::min(i, j), std::max(i, j)};
}

}  // namespace

Tensor einsum(std::string_view equation, TensorList operands, std::optional<IntArrayRef> path) {
  TORCH_CHECK(!operands.empty(), "einsum(): must provide at least one operand");
  const Equation e = read_equation(equation, operands);
  const Axes axes(e);
  std::vector<Term> terms;
  for (size_t k = 0; k < operands.size(); ++k)
    terms.push_back(make_term(operands[k], e.labels[k], axes.of, axes.count, e.ellipsis_dims, k));
  check_sizes(terms, axes.count);
  for (size_t step = 0; terms.size() > 1; ++step) {
    const auto [i, j] = path ? pair_of(*path, step, terms.size()) : std::pair<size_t, size_t>(0, 1);
    Term product = multiply(terms, i, j, axes);
    terms.erase(terms.begin() + j);
    terms.erase(terms.begin() + i);
    // With a path the product is appended at the end; without one it goes to the front.
    if (path) terms.push_back(std::move(product));
    else terms.insert(terms.begin(), std::move(product));
  }
  const Tensor& result = terms[0].tensor;
  if (axes.in_output == axes.count) return result;
  DimVector summed;
  bool any = false;
  for (int a = axes.in_output; a < axes.count; ++a) {
    summed.push_back(a);
    any |= result.sizes()[a] != 1;
  }
  return any || operands.size() == 1 ? at::sum(result, IntArrayRef(summed), false)
                                     : at::reshape(result, result.sizes().slice(0, axes.in_output));
}

}  // namespace at::native

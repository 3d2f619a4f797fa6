"""The explanation as a page of text."""


def _section(title, lines):
    return [f"\n{title}"] + [f"  {line}" for line in lines] if lines else []


def _operator(o, brief):
    lines = [o.schema]
    if o.yaml:
        lines.append(f"yaml        {o.yaml}" + (f" (forwards to {o.forwards})" if o.forwards else ""))
    if not brief:
        for k in o.kernels:
            lines.append(f"kernel      {k.name or k.symbol}  [{k.key}]" + (f"  called by {k.by}" if k.by else ""))
            detail = (
                f"{k.symbol + '  ' if k.name and k.symbol and not k.name.endswith(k.symbol.rpartition('::')[2]) else ''}{k.place}"
            )
            lines += [f"              {detail}"] if detail else []
        if o.calls:
            lines.append("calls       " + ", ".join(o.calls))
        if o.composite:
            lines.append("derivative  composite: differentiated through what it calls")
        elif o.node:
            lines.append(f"derivative  {o.node}")
            lines += [f"              {inputs}: {formula}" for inputs, formula in o.derivatives.items()]
        lines += [f"{'layer' if k == 0 else '':<12}{layer}" for k, layer in enumerate(o.layers)]
    return lines


def _is_other_form(name):
    """Whether it is an in-place or an out= form."""
    base, _, overload = name.partition("::")[2].partition(".")
    return base.endswith("_") or "out" in overload


def page(e):
    lines = [f"{e.name}  (CPU capability {e.capability})"]
    lines += _section("Python", [f"{path}  {place}" for path, place in e.entries])
    functional = [o for o in e.operators if not _is_other_form(o.name)]
    full = functional[:3] or e.operators[:1]
    if e.operators and e.operators[0] not in functional:  # the requested name refers mainly to an in-place operator
        full = e.operators[:1] + functional[:2]
    for o in full:
        lines += _section(o.name, _operator(o, brief=False))
    rest = [o for o in e.operators if o not in full]
    lines += _section("More forms", [line for o in rest for line in _operator(o, brief=True)[:2]])
    lines += _section("Tests", e.tests)
    lines += _section("Benchmarks", e.benchmarks)
    stops = list(dict.fromkeys(b for o in full for b in o.breakpoints))
    lines += _section("gdb --args python program.py", ["set breakpoint pending on", *stops] if stops else [])
    lines += _section("Layers of this call, the outermost first", e.layers)
    if e.path:
        lines += _section("This call", [str(r) for r in e.path])
        lines.append(f"  -> {e.result}")
    return "\n".join(lines)

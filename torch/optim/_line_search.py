"""Line search for the strong Wolfe conditions (Nocedal and Wright, algorithms 3.5 and 3.6)."""


def _cubic(x1, f1, g1, x2, f2, g2, bounds=None):
    """Minimum, within the bounds, of the cubic through two points with two slopes."""
    low, high = bounds if bounds is not None else (min(x1, x2), max(x1, x2))
    d1 = g1 + g2 - 3 * (f1 - f2) / (x1 - x2)
    square = d1**2 - g1 * g2
    if square < 0:
        return (low + high) / 2.0
    d2 = square**0.5
    if x1 <= x2:
        place = x2 - (x2 - x1) * ((g2 + d2 - d1) / (g2 - g1 + 2 * d2))
    else:
        place = x1 - (x1 - x2) * ((g1 + d2 - d1) / (g1 - g2 + 2 * d2))
    return min(max(place, low), high)


def strong_wolfe(evaluate, t, d, loss, gradient, slope, c1=1e-4, c2=0.9, tolerance_change=1e-9, max_rounds=25):
    """(loss, gradient, step length, evaluations) of a step that decreases the loss and the slope enough.

    evaluate(length) gives loss and gradient along the direction d."""
    largest = d.abs().max()
    gradient = gradient.clone()
    start, start_slope = loss, slope
    new_loss, new_gradient = evaluate(t)
    used, new_slope = 1, new_gradient.dot(d)
    last = (0, loss, gradient, slope)
    found, rounds, bracket = False, 0, None
    while rounds < max_rounds:
        here = (t, new_loss, new_gradient.clone(), new_slope)
        if new_loss > start + c1 * t * start_slope or (rounds > 1 and new_loss >= last[1]):
            bracket = [last, here]
            break
        if abs(new_slope) <= -c2 * start_slope:
            bracket, found = [here], True
            break
        if new_slope >= 0:
            bracket = [last, here]
            break
        minimum, maximum = t + 0.01 * (t - last[0]), t * 10
        t = _cubic(last[0], last[1], last[3], t, new_loss, new_slope, bounds=(minimum, maximum))
        last = here
        new_loss, new_gradient = evaluate(t)
        used += 1
        new_slope = new_gradient.dot(d)
        rounds += 1
    if bracket is None:
        bracket = [(0, loss, gradient, slope), (t, new_loss, new_gradient, new_slope)]
    stuck = False
    low, high = (0, 1) if bracket[0][1] <= bracket[-1][1] else (1, 0)
    while not found and rounds < max_rounds:
        if abs(bracket[1][0] - bracket[0][0]) * largest < tolerance_change:
            break
        (x1, f1, _, g1), (x2, f2, _, g2) = bracket
        t = _cubic(x1, f1, g1, x2, f2, g2)
        left, right = min(x1, x2), max(x1, x2)
        margin = 0.1 * (right - left)
        if min(right - t, t - left) < margin:  # too close to an end: allowed once, but not twice in a row
            if stuck or t >= right or t <= left:
                t = right - margin if abs(t - right) < abs(t - left) else left + margin
                stuck = False
            else:
                stuck = True
        else:
            stuck = False
        new_loss, new_gradient = evaluate(t)
        used += 1
        new_slope = new_gradient.dot(d)
        rounds += 1
        here = (t, new_loss, new_gradient.clone(), new_slope)
        if new_loss > start + c1 * t * start_slope or new_loss >= bracket[low][1]:
            bracket[high] = here
            low, high = (0, 1) if bracket[0][1] <= bracket[1][1] else (1, 0)
        else:
            if abs(new_slope) <= -c2 * start_slope:
                found = True
            elif new_slope * (bracket[high][0] - bracket[low][0]) >= 0:
                bracket[high] = bracket[low]
            bracket[low] = here
    length, loss, gradient, _ = bracket[low if len(bracket) > 1 else 0]
    return loss, gradient, length, used

"""Measures of what one snapshot gives away, by name.

registry             every measure: name, definition, how it is found; functions as measures
metric_distances     Hellinger's distance and the Jensen-Shannon divergence
gaussian_dp          μ of Gaussian differential privacy
concentrated_dp      ρ of zero-concentrated differential privacy
maximal_leakage      log Σ_y max_h P(y|h)
"""

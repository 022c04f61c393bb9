"""Rate constants from logs, with intervals that cover.

fit                  the question, and who answers it
event_likelihood     rates from events: counts over exposures (tally)
snapshot_likelihood  rates from counts at times, by snapshot_chain
polled_likelihood    rates from robots that were polled
erlang_likelihood    in how many stages times pass; staged_times which reactions may have some
profile_likelihood   where there is no closed form
task                 what is fitted
fitted, fit_file     what comes out
residuals            whether a model fits a log: its events (steps) by exponential_test
logs/                what a log says
"""

"""What is learnt: from the distributions of teams to what an observer can tell.

hypotheses   what is compared with what: the pairs of hypotheses that a secret is
cases        a network, a start and a moment: what the distribution of a hypothesis is computed of
distribution_cache   each distribution once
prior        what an observer believes at first
headline     what is said first, sentence by sentence
answer       all of it, by one call: one snapshot, and what more of them tell

snapshot/    one snapshot
measures/    every measure of one, by name
stream/      many snapshots of one trajectory
inference/   what an observer believes, and what samples prove
"""

"""What many snapshots of one trajectory give away.

stream, problem       the question, and who answers it
schedule, pace        when somebody looks
exact                 few snapshots, summed over all that can be seen (joint_distributions)
sampled, survey       many, by sampled paths that are filtered exactly
large_teams/          teams too large for that: an approximation, and proved bounds
confidence            what samples prove
figures, stream_row   of every neighbour, and one row of them
indistinguishable     neighbours that no stream can tell from the team
probing               a probe, and the snapshots before and after it
period                how often may be published
"""

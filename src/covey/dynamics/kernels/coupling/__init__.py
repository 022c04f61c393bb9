"""Two chains that move together, compiled.

transport      the small transport problem that couples them
pair_coupling  which moves they make together where they are
coupled_paths  the path of both
difference_policy   a potential of the difference of their counts
"""

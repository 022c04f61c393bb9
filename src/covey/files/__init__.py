"""Files: written whole or not at all, and read without trust.

atomic_file    a file is there when it is whole
file_lock      one writer at a time
journal        finished parts of long work, kept until all are there
bounded_file   whole files, up to a size
line_file      files that are read line by line
json_reader, csv_cells   JSON and CSV of strangers
"""

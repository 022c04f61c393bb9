"""What a person reads: pictures, tables and pages.

The only room that imports a plotting library.
"""

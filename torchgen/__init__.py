"""Turns native_functions.yaml into C++ and .pyi, in the build folder only.

gen.py        command line: reads the yaml, calls the writers, leaves unchanged files alone
schema.py     schema text -> Schema(Argument(Type))
model.py      a yaml entry -> the operators that it defines (functional, in-place, out)
types_cpp.py  how each schema type is written in C++
derivatives.py  formulas -> what a node saves and computes
writers/      one file for each kind of output
"""

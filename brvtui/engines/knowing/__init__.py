"""The engine ``knowing``, which chooses seeds with keyword channels and ranks a graph of notes or code by a walk from
these seeds.
"""

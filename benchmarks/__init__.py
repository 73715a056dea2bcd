"""Scripts that measure the program and print the results and the machine; none of them is a test.

``benchmarks/results/performance.md`` contains recorded results.
"""

"""The engines that hold tables: DuckDB, files of tables, Spark.

- `duckdb`: connections, quoting of SQL, queries built step by step; `messages`: its errors.
- `flat_files`: CSV, JSON lines and Parquet files; `spark`: files that only a cluster can access.

They read. What is counted is one query in narwhals for every engine: `data/queries`.
"""

"""The engines that hold tables: DuckDB, files of tables, Spark."""

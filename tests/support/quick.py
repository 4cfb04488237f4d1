"""`scripts/test --quick`: a fast part of the tests, for use while one works.

Left out are the files and the tests named here: those that start Spark, a browser or further
processes, run the documentation, simulate studies, or take longer than half a second. Of a test
that is tried on many values the first one is kept, but for every metric, which is tried once at
least.
"""

from collections import defaultdict
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]

SLOW_FILES = {
    "contracts/engines/test_ranked.py",
    "contracts/engines/test_spark.py",
    "contracts/readers/test_accounts.py",
    "contracts/readers/test_inspect_ai_hostile.py",
    "contracts/test_large.py",
    "contracts/test_nothing_stops.py",
    "journeys/test_cli_outcomes.py",
    "journeys/test_demo.py",
    "journeys/test_documented_commands.py",
    "journeys/test_endings.py",
    "journeys/test_github_action.py",
    "journeys/test_inspect_extension.py",
    "journeys/test_mlflow.py",
    "journeys/test_notebook.py",
    "journeys/test_pytest_plugin.py",
    "journeys/test_readme.py",
    "journeys/test_report_browser.py",
    "journeys/test_site.py",
    "journeys/test_terminal.py",
    "journeys/test_wild.py",
    "journeys/test_work.py",
    "unit/analysis/test_compare_ranked.py",
    "unit/analysis/test_monitor.py",
    "unit/analysis/test_plan.py",
    "unit/analysis/test_rank.py",
    "unit/data/test_copies.py",
    "unit/data/tables/test_reading_copies.py",
    "unit/data/tables/test_reading_traps.py",
    "unit/data/test_file_kinds.py",
    "unit/data/test_ranked_totals.py",
    "unit/results/test_pictures.py",
    "unit/surface/test_gate.py",
    "unit/surface/test_selective_others.py",
    "unit/surface/test_write_every_eval_ever.py",
    "studies",
}
SLOW_TESTS = {
    "test_a_cluster_for_every_question_is_none",
    "test_a_fall_is_told_from_noise_and_dated",
    "test_a_field_of_ten_megabytes_is_read",
    "test_a_folder_a_database_and_a_dict_give_the_same",
    "test_a_header_of_many_columns_is_refused_in_a_short_sentence",
    "test_a_higher_level_is_never_narrower",
    "test_a_known_number_of_questions_leaves_less_to_chance",
    "test_a_large_sample_equals_scikit_learn",
    "test_a_metric_that_falls_with_the_rate_mirrors_one_that_rises",
    "test_a_planned_verdict_of_better_is_reached_by_compare",
    "test_a_population_interval_holds_its_level",
    "test_a_question_of_ten_megabytes_is_refused_in_a_short_sentence",
    "test_a_report_is_a_file_of_everything",
    "test_a_report_names_no_folder_of_the_machine_that_made_it",
    "test_a_report_states_the_command_with_paths_as_given",
    "test_a_rerun_may_show_the_bound",
    "test_a_rising_change_of_confidence_changes_no_bit",
    "test_a_score_does_not_depend_on_what_else_is_asked",
    "test_a_score_does_not_load_what_other_verbs_need",
    "test_a_share_of_the_draws_needs_just_those_draws",
    "test_a_spectrum_with_one_weight_is_that_threshold",
    "test_a_system_that_was_never_scored_has_a_dash_and_a_reason",
    "test_a_total_is_left_out_and_counted",
    "test_a_verb_is_the_method_of_what_load_gives",
    "test_a_weight_of_nothing_leaves_a_question_out_and_says_so",
    "test_a_width_is_reached_by_the_number_of_labels_that_is_said",
    "test_accuracies_of_tasks_are_totals",
    "test_all_of_them_come_out_of_data",
    "test_an_end_after_very_many_zeros_is_no_number_too_large",
    "test_an_outcome_of_ten_megabytes_is_refused_in_a_short_sentence",
    "test_an_unpaired_difference_adds_the_variances",
    "test_another_seed_moves_an_end_by_little",
    "test_another_seed_moves_no_end_by_a_fiftieth_of_the_width",
    "test_auc_at_1_is_pass_at_1",
    "test_both_families_together_hold_either_truth",
    "test_bounds_hold_for_new_questions_and_for_these",
    "test_broken_totals_do_not_hide_the_details",
    "test_clusters_and_weights_widen_what_is_said",
    "test_clusters_are_the_sample",
    "test_clusters_of_equal_questions_count_once",
    "test_counts_by_state_are_the_same_data",
    "test_counts_give_what_they_give_without_being_loaded",
    "test_details_of_every_instance",
    "test_each_difference_is_that_of_items_written_out",
    "test_ends_are_quantiles_of_random_weights_with_an_unseen_item",
    "test_ends_of_many_items_of_clusters_are_those_of_drawing_item_by_item",
    "test_ends_reach_farther_where_few_of_many_questions_carry_the_uncertainty",
    "test_engines_agree_and_the_order_of_rows_is_of_no_account",
    "test_equal_weights_are_no_weights",
    "test_estimates_come_system_by_system_in_the_order_of_the_metrics",
    "test_every_backend_weighs_alike",
    "test_every_number_is_a_python_float",
    "test_every_number_of_the_library_is_in_the_page",
    "test_every_score_stands_in_the_page_with_its_interval",
    "test_every_shape_gives_its_means_and_accounts_for_every_row",
    "test_every_stat_of_the_real_logs_comes_out",
    "test_every_table_is_counted_as_in_plain_python",
    "test_files_and_functions_stay_readable",
    "test_files_of_other_columns_are_read_together",
    "test_files_of_two_kinds_are_read_together",
    "test_fractions_beside_right_and_wrong_are_no_system_unless_told",
    "test_frames_whose_ids_stand_for_other_questions_are_warned_of",
    "test_geo_spectrum_ends_at_pass_at_k_and_at_mg_pass",
    "test_hidden_labels_of_real_games_are_held",
    "test_ids_that_begin_anew_in_every_part_are_other_questions",
    "test_importing_the_functions_does_not_load_scipy",
    "test_imports_point_from_a_layer_to_those_before_it",
    "test_intervals_hold_the_truth_of_spiked_difficulty",
    "test_json_lines_with_many_other_keys_are_read",
    "test_k_beyond_the_trials_widens_the_farther_it_goes",
    "test_levels_of_systems_and_trials_become_rows",
    "test_lines_parsed_together_are_those_parsed_in_turn",
    "test_logs_of_every_version_are_read_or_have_no_samples",
    "test_logs_of_inspect_ai_are_what_they_are_said_to_be",
    "test_majority_is_g_pass_at_its_share",
    "test_many_values_have_the_ends_of_random_weights",
    "test_many_values_neither_overflow_nor_vanish",
    "test_modules_imported_at_first_use_are_there_and_others_are_not",
    "test_more_draws_raise_pass_at_k_and_lower_pass_hat_k",
    "test_names_are_imported_one_by_one",
    "test_names_are_text",
    "test_no_end_leaves_what_the_metric_can_be",
    "test_no_message_names_an_option_or_an_argument_outright",
    "test_no_shape_loses_or_joins_a_system_beside_others",
    "test_no_smaller_choice_of_failed_trials_undoes_a_verdict",
    "test_no_two_types_have_one_name",
    "test_nobody_else_parses_json",
    "test_nobody_imports_a_plug_in_for_another_tool",
    "test_nobody_imports_the_command",
    "test_nothing_is_fetched_from_elsewhere",
    "test_nothing_solved_has_the_limit_of_clopper_and_pearson",
    "test_one_question_with_many_trials_does_not_speak_for_the_others",
    "test_options_of_load_and_of_the_verb_are_told_apart",
    "test_policies_and_curves_are_what_plain_counting_gives",
    "test_ragged_trials_are_used_as_they_are",
    "test_ragged_trials_count_each_question_once",
    "test_recorded_numbers_come_out_equal",
    "test_reported_numbers_come_out",
    "test_runs_are_compared_on_the_items_they_share",
    "test_sampling_gives_what_weighing_the_prior_gives",
    "test_scipy_waits_until_it_is_needed_and_its_statistics_stay_out",
    "test_scores_and_labels_come_out_as_sorting_their_places_gives",
    "test_scores_and_the_change_are_those_of_score_and_compare",
    "test_scores_are_those_of_the_same_counts_without_clusters",
    "test_settings_are_not_a_system",
    "test_shards_of_two_models_are_two_systems",
    "test_shards_that_share_no_question_are_one_table",
    "test_short_questions_can_be_left_to_the_posterior",
    "test_simulated_means_fall_below_a_quantile_as_often_as_they_should",
    "test_single_precision_counts_beyond_its_own_whole_numbers",
    "test_single_trials_bound_what_two_would_show",
    "test_spread_agrees_with_resampling_lists_in_plain_python",
    "test_standard_input_is_read",
    "test_suites_at_their_limit_fail_less_often_than_the_level_says",
    "test_systems_are_paired_by_the_column_that_they_share",
    "test_targets_are_ordered_by_what_they_leave_open",
    "test_tau_0_is_pass_at_k_and_tau_1_is_pass_hat_k",
    "test_tau_of_few_decimals_is_exact_at_every_k",
    "test_tau_of_three_decimals_is_exact",
    "test_the_best_of_k_right_or_wrong_trials_is_pass_at_k",
    "test_the_calls_for_many_systems_grow_with_their_number",
    "test_the_chance_to_ever_reach_what_is_needed_is_small_over_all_runs",
    "test_the_command_can_do_without_clusters",
    "test_the_command_has_the_numbers_of_python",
    "test_the_command_writes_one_file_and_says_where",
    "test_the_demo_says_what_the_data_are_and_what_the_bar_covers",
    "test_the_demo_shows_what_the_command_says_of_its_logs",
    "test_the_description_says_what_was_done_with_one_trial_per_question",
    "test_the_difference_is_that_of_the_scores_on_common_questions",
    "test_the_four_show_the_same_intervals",
    "test_the_interval_and_the_verdict_never_contradict_each_other",
    "test_the_interval_of_a_weighted_geom_is_that_of_weighted_known_rates",
    "test_the_leaderboard_and_the_comparisons_have_the_numbers_of_the_library",
    "test_the_newest_schema_is_what_the_package_says",
    "test_the_order_of_items_changes_no_bit",
    "test_the_order_of_items_changes_no_comparison",
    "test_the_order_of_items_changes_nothing",
    "test_the_order_of_rows_never_shows",
    "test_the_package_itself_gets_the_same",
    "test_the_package_still_says_what_is_written_down",
    "test_the_questions_are_those_of_the_log",
    "test_the_same_again_to_the_bit_and_whatever_else_is_scored",
    "test_the_scale_of_weights_changes_nothing",
    "test_the_score_is_the_weighted_mean_of_what_questions_come_to",
    "test_the_sd_of_a_blend_is_that_of_one_distribution",
    "test_the_winner_of_every_subset",
    "test_these_very_questions_are_known_better_than_others_like_them",
    "test_threads_may_share_outcomes",
    "test_to_the_bit",
    "test_too_few_ballots",
    "test_trial_noise_is_that_of_runs_of_known_rates",
    "test_two_categories_are_as_good_as_right_and_wrong",
    "test_two_parameters_find_the_discrimination_that_differs",
    "test_two_runs_of_the_demo_print_the_same_bytes",
    "test_unscored_rows_change_no_number_on_any_backend",
    "test_using_the_functions_never_loads_the_statistics_of_scipy",
    "test_wealth_is_kept_on_average_for_values_between_the_bounds",
    "test_weights_on_few_questions_leave_more_to_the_luck_of_trials",
    "test_what_cannot_be_a_history_is_refused",
    "test_what_does_not_exist_is_a_dash_and_its_reason_stands_below",
    "test_what_the_flat_prior_got_wrong_is_right",
    "test_whatever_json_writes_is_read_alike",
    "test_whatever_the_order_of_systems",
    "test_where_a_family_of_comparisons_widens_intervals_it_is_said",
    "test_where_noise_cannot_be_told_a_known_number_of_questions_narrows_nothing_and_says_so",
    "test_whole_numbers_that_tell_repeats_apart_are_trials",
    "test_whole_weights_give_the_value_of_questions_that_occur_so_often",
    "test_win_rates_of_alpaca_eval_are_those_published",
    "test_with_a_largest_cluster_the_interval_holds_where_no_large_one_was_drawn",
    "test_within_the_trials_the_exponent_is_that_of_the_unbiased_scores",
    "test_without_jinja_the_demo_runs_and_a_report_names_its_extra",
    "test_words_before_the_number_of_a_run_are_systems",
}
BROKEN = ("read_or_refused", "mutations", "spoiled", "broken_logs", "broken_copies")  # in names

# Tried on all that they name: every metric.
WHOLE_FILES = {"contracts/test_common_metrics.py", "contracts/test_registry.py"}

# Of the engines one in memory and one of files, on cases that are counted fast.
ENGINES = ("polars", "CSV")
CASES = ("bare", "kinds of slices", "clusters of text", "weights of whole")


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    if not collection_path.is_relative_to(TESTS):
        return True  # examples of `src`
    return collection_path.relative_to(TESTS).as_posix() in SLOW_FILES or None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    tests = defaultdict(list)
    for item in items:
        tests[item.nodeid.partition("[")[0]].append(item)
    kept = {item for tried in tests.values() for item in chosen(tried)}
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]


def chosen(tried: list[pytest.Item]) -> list[pytest.Item]:
    """Which of the values that a test is tried on are quick enough."""
    name = tried[0].name.partition("[")[0]
    if name == "test_engines_give_what_plain_counting_gives":
        asked = {f"{name}[{engine}-{case}]" for engine in ENGINES for case in CASES}
        return [item for item in tried if item.name in asked]
    if name in SLOW_TESTS or any(word in name for word in BROKEN):
        return []
    if tried[0].path.relative_to(TESTS).as_posix() in WHOLE_FILES:
        return tried
    return tried[:1]

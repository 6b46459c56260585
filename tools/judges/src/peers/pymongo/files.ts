import { wordsIn } from '../../words.js';

const named = (words: string): readonly string[] => wordsIn(words).map(word => `test_${word}`);

/**
 * The files of tests that need a server. Left out are files for features that the server does not support (encryption
 * and its key services, OIDC, OCSP, Atlas, search indexes), and files that use only MockupDB.
 */
export const files: readonly string[] = named(`
  auth auth_spec binary bulk causal_consistency change_stream client client_backpressure client_bulk_write client_context
  collation collection collection_management command_logging command_monitoring comment common connection_logging
  connection_monitoring connections_survive_primary_stepdown_spec create_entities crud_unified csot cursor custom_types database
  decimal128 discovery_and_monitoring dns examples fork grid_file gridfs gridfs_bucket gridfs_spec handshake_unified
  heartbeat_monitoring json_util_integration load_balancer logger max_staleness mongos_load_balancing monitor monitoring
  operation_id_retry pooling raw_bson read_concern read_preferences read_write_concern_spec replica_set_reconfig retryable_reads
  retryable_reads_unified retryable_writes retryable_writes_unified run_command sdam_monitoring_spec server_selection
  server_selection_in_window server_selection_logging session sessions_unified ssl streaming_protocol threads transactions
  transactions_unified typing unified_format versioned_api_integration
`);

/** Fast files that use many features. */
export const shortFiles: readonly string[] = named('database collation gridfs_bucket comment');

/** The version whose tests are played; its maintainers recorded them on AWS. */
export const tag = 'v4.14.0';

/** The files that are played, below the folder of the tests. */
export const files = ['aws/services/sqs/test_sqs.py', 'aws/services/sqs/test_sqs_move_task.py'] as const;

/** A test that the model does not pass, in all its parameters. */
export interface LeftOut {
  readonly test: string;
  readonly reason: string;
}

const ownJson =
  'It reads a JSON answer to a GET request of the query protocol, which is not documented and no SDK asks for';
/** Every recorded test that the model does not pass. */
export const leftOut: readonly LeftOut[] = [
  {
    test: 'test_marker_serialization_json_protocol',
    reason: `${ownJson}, in the form that LocalStack gives it.`,
  },
  { test: 'test_get_list_queues_with_query_auth', reason: `${ownJson}.` },
  {
    test: 'test_list_queues_multi_region_with_endpoint_strategy_standard',
    reason:
      'It wants the region in the name of the host, `sqs.us-east-1.…`, which LocalStack gives under a setting of its own; the model has one address for all regions.',
  },
];

/**
 * How the model does; `skipped` are tests that their authors do not play on LocalStack either. A run compares itself
 * with this table.
 */
export const counts = [
  { file: 'test_sqs.py', protocol: 'JSON', passed: 155, leftOut: 4, skipped: 8 },
  { file: 'test_sqs.py', protocol: 'query', passed: 155, leftOut: 0, skipped: 8 },
  { file: 'test_sqs_move_task.py', protocol: 'JSON', passed: 12, leftOut: 0, skipped: 0 },
] as const;

import type { Clock } from '../../lib/base/index.ts';
import type { LogFields, Logger } from './logger.ts';
import type { Environment } from './settings.ts';

/** The levels by name, with Lambda's and Powertools' own above and below those that are written here. */
const severities: Readonly<Record<string, number>> = {
  TRACE: 0,
  DEBUG: 0,
  INFO: 1,
  WARN: 2,
  ERROR: 3,
  FATAL: 4,
  CRITICAL: 4,
  SILENT: 4,
};

/**
 * Structured JSON, a line for each call, in the fields of Powertools Logger: `level`, `message`, `timestamp`,
 * `service`, `xray_trace_id`. The level comes from `AWS_LAMBDA_LOG_LEVEL` (Lambda's own setting), then from
 * `POWERTOOLS_LOG_LEVEL`, else it is INFO.
 *
 * @param print - writes a line past `console`, which Lambda frames or prefixes
 */
export function jsonLogger(context: {
  readonly service: string;
  readonly subscriber: string;
  readonly clock: Clock;
  readonly environment: Environment;
  readonly print?: (line: string) => void;
}): Logger {
  const { service, subscriber, clock, environment } = context;
  const print = context.print ?? ((line: string) => void process.stdout.write(`${line}\n`));
  const wanted = environment.AWS_LAMBDA_LOG_LEVEL ?? environment.POWERTOOLS_LOG_LEVEL ?? 'INFO';
  const least = severities[wanted.toUpperCase()] ?? 1;

  const line = (level: string) => (message: string, fields?: LogFields) => {
    if ((severities[level] as number) < least) return;
    const known = {
      level,
      message,
      timestamp: new Date(clock.now()).toISOString(),
      service,
      subscriber,
      // Set anew for each invocation.
      xray_trace_id: /Root=([^;]+)/.exec(environment._X_AMZN_TRACE_ID ?? '')?.[1],
    };
    try {
      print(JSON.stringify({ ...fields, ...known }, telling));
    } catch (thrown) {
      // Fields that run in circles: the line is worth more than they are.
      print(JSON.stringify({ ...known, fields: String(thrown) }));
    }
  };
  return { debug: line('DEBUG'), info: line('INFO'), warn: line('WARN'), error: line('ERROR') };
}

/** What JSON would leave out or refuse: errors have no members of their own, and bigints no form. */
function telling(_name: string, value: unknown): unknown {
  if (value instanceof Error)
    return { name: value.name, message: value.message, stack: value.stack, cause: value.cause };
  return typeof value === 'bigint' ? String(value) : value;
}

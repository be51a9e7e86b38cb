import type { Clock } from '../../lib/base/index.ts';
import type { LogFields, Logger } from '../runtime/index.ts';

/** JSON lines on standard output, in the fields of the runtime's own; what is only of use while debugging is left out. */
export function lineLogger(clock: Clock): Logger {
  const line = (level: string) => (message: string, fields?: LogFields) =>
    void process.stdout.write(
      `${JSON.stringify({ ...fields, level, message, timestamp: new Date(clock.now()).toISOString(), service: 'worker' })}\n`,
    );
  return { debug: () => {}, info: line('INFO'), warn: line('WARN'), error: line('ERROR') };
}

/** A logger that never throws: a broken one must not end a lane, and with it the worker. */
export function tolerant(logger: Logger): Logger {
  const guard = (level: keyof Logger) => (message: string, fields?: LogFields) => {
    try {
      logger[level](message, fields);
    } catch {
      // There is nowhere left to say so.
    }
  };
  return { debug: guard('debug'), info: guard('info'), warn: guard('warn'), error: guard('error') };
}

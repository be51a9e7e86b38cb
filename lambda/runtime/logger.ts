/**
 * Further facts of a log line. Never a payload, never a secret.
 *
 * @example
 * ```ts
 * const fields: LogFields = { orderId: event.data.orderId, attempt };
 * logger.info('charged', fields);
 * ```
 */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * Where log lines go. The default writes structured JSON; any other can be handed in, Powertools Logger as it is.
 *
 * @example
 * ```ts
 * const logger: Logger = { debug() {}, info: console.info, warn: console.warn, error: console.error };
 * consume(messaging, 'payments', handler, { logger });
 * ```
 */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** A logger whose lines all carry these fields. */
export const withFields = (logger: Logger, fields: LogFields): Logger =>
  // Tolerant again: the fields of a handler may throw when they are looked at.
  tolerant({
    debug: (message, more) => logger.debug(message, { ...fields, ...more }),
    info: (message, more) => logger.info(message, { ...fields, ...more }),
    warn: (message, more) => logger.warn(message, { ...fields, ...more }),
    error: (message, more) => logger.error(message, { ...fields, ...more }),
  });

/** A logger that never throws, nor rejects where it is asynchronous: a broken one must not decide over a message. */
export function tolerant(logger: Logger): Logger {
  const guard = (level: keyof Logger) => (message: string, fields?: LogFields) => {
    try {
      const result: unknown = logger[level](message, fields);
      if (result instanceof Promise) result.catch(() => undefined);
    } catch {
      // There is nowhere left to say so.
    }
  };
  return { debug: guard('debug'), info: guard('info'), warn: guard('warn'), error: guard('error') };
}

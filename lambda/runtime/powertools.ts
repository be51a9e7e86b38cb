import { Logger as PowertoolsLogger } from '@aws-lambda-powertools/logger';
import type { LogFields, Logger } from './logger.ts';

/** Structured JSON lines by Powertools Logger; its level comes from `POWERTOOLS_LOG_LEVEL`. */
export function powertoolsLogger(serviceName: string, subscriber: string): Logger {
  const logger = new PowertoolsLogger({ serviceName, persistentKeys: { subscriber } });
  const line = (level: keyof Logger) => (message: string, fields?: LogFields) =>
    fields === undefined ? logger[level](message) : logger[level](message, { ...fields });
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
}

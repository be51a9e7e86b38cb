/** The servers that can stand in for AWS on this machine. */
export const serverNames = ['model', 'localstack', 'ministack', 'moto', 'fauxqs', 'dynamodb-local'] as const;

/** One of {@link serverNames}. */
export type ServerName = (typeof serverNames)[number];

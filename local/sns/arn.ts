/** The parts of an ARN by their place; missing ones are empty. */
export interface Arn {
  readonly service: string;
  readonly region: string;
  readonly account: string;
  readonly resource: string;
}

/** Reads an ARN; `undefined` for a text that is none. */
export function parseArn(text: string): Arn | undefined {
  const [prefix, partition, service, region, account, ...resource] = text.split(':');
  if (prefix !== 'arn' || !partition || !service || resource.length === 0) return undefined;
  return { service, region: region ?? '', account: account ?? '', resource: resource.join(':') };
}

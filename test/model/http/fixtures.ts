import { seededRandom, systemClock } from '../../../lib/base/index.ts';
import { createDispatcher, type Services } from '../../../local/dispatch.ts';
import { createEndpoint, type Endpoint, type EndpointOptions } from '../../../local/http/index.ts';
import type { Operation, Service, ServiceId } from '../../../local/service.ts';

/** An endpoint over services of the test's own. */
export function serveFakes(
  services: { readonly [Id in ServiceId]?: Readonly<Record<string, Operation<never, object>>> },
  options: EndpointOptions = {},
): Promise<Endpoint> {
  const made = Object.fromEntries(
    Object.entries(services).map(([id, operations]) => [id, { id, operations } as unknown as Service]),
  ) as Services;
  return createEndpoint(
    (endpoint) =>
      createDispatcher(
        {
          clock: systemClock,
          random: seededRandom(1),
          account: '000000000000',
          region: 'us-east-1',
          endpoint,
        },
        made,
      ),
    { port: 0, ...options },
  );
}

/** Settings of an SDK client for an endpoint; one try, so that an error is seen at once. */
export const clientSettings = (endpoint: Endpoint) => ({
  endpoint: endpoint.url,
  region: 'us-east-1',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  maxAttempts: 1,
});

/** Authorization as every client sends it; nobody looks at the signature. */
export const authorization = (service: string): string =>
  `AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/${service}/aws4_request, SignedHeaders=host, Signature=0`;

/** Sends JSON as an SDK would. */
export const postJson = (endpoint: Endpoint, target: string, body: string | Uint8Array<ArrayBuffer>) =>
  fetch(endpoint.url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': target },
    body,
  });

/** Sends a form as a client of the query protocol would. */
export const postForm = (endpoint: Endpoint, service: string, parameters: Record<string, string>) =>
  fetch(endpoint.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
      authorization: authorization(service),
    },
    body: new URLSearchParams(parameters).toString(),
  });

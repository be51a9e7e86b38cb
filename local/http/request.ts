import type { IncomingMessage } from 'node:http';
import type { ServiceId } from '../service.ts';
import { type Form, parseForm } from './query.ts';
import { isS3 } from './s3/index.ts';
import { byTarget, byVersion, names, signedFor, signedInQuery } from './services.ts';

/** How a request was written, and so how it is answered. */
export type Protocol = 'json' | 'query' | 'cbor' | 'rest';

/** What a request asks for. */
export interface Asked {
  readonly protocol: Protocol;
  /** `undefined` when the model has no such service; `serviceName` is what the request called it. */
  readonly service: ServiceId | undefined;
  readonly serviceName: string;
  /** Empty for a REST request: its method and path tell. */
  readonly action: string;
  /** Parameters of a query request. */
  readonly form?: Form;
}

/** A queue's own address, with the region's part or without it: what is sent there without more is for SQS. */
const queueAddress = /^(?:\/queue\/[^/?]+)?\/\d{12}\/[^/?]+(?:\?|$)/;

/** Finds out what a request asks for. @throws {ServiceError} for a form that cannot be read */
export function ask(request: IncomingMessage, body: Buffer): Asked {
  const { headers } = request;
  const target = headers['x-amz-target'];
  if (typeof target === 'string') {
    const dot = target.lastIndexOf('.');
    const prefix = target.slice(0, dot);
    return {
      protocol: 'json',
      service: byTarget.get(prefix),
      serviceName: prefix,
      action: target.slice(dot + 1),
    };
  }
  const url = request.url ?? '/';
  if (isS3(request)) return { protocol: 'rest', service: 's3', serviceName: 's3', action: '' };
  const rpc = /^\/service\/([^/]+)\/operation\/([^/?]+)/.exec(url);
  if (rpc !== null)
    return {
      protocol: 'cbor',
      service: byTarget.get(rpc[1]!) ?? (rpc[1]! in names ? (rpc[1] as ServiceId) : undefined),
      serviceName: rpc[1]!,
      action: rpc[2]!,
    };
  const mark = url.indexOf('?');
  const search = mark < 0 ? '' : url.slice(mark + 1);
  const signed = signedFor(headers.authorization) ?? signedInQuery(search);
  const restPath = /^\/20\d\d-\d\d-\d\d\//.test(url);
  if (!restPath && (isForm(headers['content-type']) || /(^|&)Action=/.test(search))) {
    const text = isForm(headers['content-type']) ? body.toString('utf8') : '';
    const form = parseForm(search === '' ? text : text === '' ? search : `${search}&${text}`);
    const version = form.parts.get('Version')?.value ?? '';
    return {
      protocol: 'query',
      service: signed?.id ?? byVersion.get(version) ?? (queueAddress.test(url) ? 'sqs' : undefined),
      serviceName: signed?.name ?? (version === '' ? 'unnamed' : `with API version ${version}`),
      action: form.parts.get('Action')?.value ?? '',
      form,
    };
  }
  return {
    protocol: 'rest',
    service: signed?.id ?? (restPath && signed === undefined ? 'lambda' : undefined),
    serviceName: signed?.name ?? 'unnamed',
    action: '',
  };
}

const isForm = (type: string | undefined): boolean =>
  type?.startsWith('application/x-www-form-urlencoded') === true;

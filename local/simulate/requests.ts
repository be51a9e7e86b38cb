import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { currentPlace, type Place } from './place.ts';

/** Hears of requests. */
export interface RequestWatch {
  begin(key: object, place: Place, what: string): void;
  end(key: object): void;
}

interface FetchRequest {
  readonly origin?: unknown;
  readonly method?: string;
  readonly path?: string;
}

interface HttpRequest {
  readonly protocol: string;
  readonly host: string;
  readonly method: string;
  readonly path: string;
  once(event: 'close', listener: () => void): void;
}

/** Requests of `fetch` and of `node:http`, by the channels on which Node tells of them ("Diagnostics Channel"). */
export function watchRequests(watch: RequestWatch): () => void {
  const ended = (message: unknown) => watch.end((message as { readonly request: object }).request);
  const listeners: Readonly<Record<string, (message: unknown) => void>> = {
    'undici:request:create': (message) => {
      const { request } = message as { readonly request: FetchRequest };
      const place = currentPlace();
      if (place !== undefined)
        watch.begin(request, place, `${request.method} ${request.origin}${request.path}`);
    },
    'undici:request:trailers': ended,
    'undici:request:error': ended,
    'http.client.request.start': (message) => {
      const { request } = message as { readonly request: HttpRequest };
      const place = currentPlace();
      if (place === undefined) return;
      watch.begin(request, place, `${request.method} ${request.protocol}//${request.host}${request.path}`);
      request.once('close', () => watch.end(request));
    },
  };
  for (const [channel, listener] of Object.entries(listeners)) subscribe(channel, listener);
  return () => {
    for (const [channel, listener] of Object.entries(listeners)) unsubscribe(channel, listener);
  };
}

import { type NamedOperation, ServiceError } from '../service.ts';
import type { Template } from './template.ts';
import { formatError } from './template-shape.ts';
import { parseTemplate } from './template-text.ts';

/** A template and the text that it was read from, which GetTemplate gives back as it came. */
export interface TemplateSource {
  readonly text: string;
  readonly template: Template;
}

/** Reads an object of S3. */
export type ReadObject = (
  bucket: string,
  key: string,
) => Uint8Array | undefined | Promise<Uint8Array | undefined>;

/** Longest template, in bytes: as TemplateBody, and by TemplateURL (CloudFormation user guide, "Quotas"). */
const longest = { body: 51_200, url: 1_048_576 } as const;

/** What operations take that a template comes with. */
export interface TemplateInput {
  readonly TemplateBody?: string | undefined;
  readonly TemplateURL?: string | undefined;
  readonly UsePreviousTemplate?: boolean | undefined;
}

/**
 * The template of a request: its body, an object of S3, or the one that the stack has.
 *
 * @throws ServiceError ValidationError when there is none or several, it is too long, or it is not well-formed
 */
export async function templateOf(
  input: TemplateInput,
  previous: TemplateSource | undefined,
  read: ReadObject,
): Promise<TemplateSource> {
  const { TemplateBody, TemplateURL } = input;
  if (TemplateBody !== undefined && TemplateURL !== undefined)
    throw new ServiceError('ValidationError', 'Specify exactly one of TemplateBody and TemplateURL');
  if (TemplateBody !== undefined) {
    const size = Buffer.byteLength(TemplateBody);
    if (size > longest.body)
      throw new ServiceError(
        'ValidationError',
        `The template body is ${size} bytes long, at most ${longest.body} are allowed: Member must have length less than or equal to ${longest.body}. Upload it to S3 and give its TemplateURL.`,
      );
    return { text: TemplateBody, template: await parseTemplate(TemplateBody) };
  }
  if (TemplateURL !== undefined) {
    const bytes = await fetchTemplate(TemplateURL, read);
    if (bytes.byteLength > longest.url)
      throw formatError(
        `${TemplateURL} is ${bytes.byteLength} bytes long, at most ${longest.url} are allowed.`,
      );
    const text = Buffer.from(bytes).toString('utf8');
    return { text, template: await parseTemplate(text) };
  }
  if (previous !== undefined && input.UsePreviousTemplate === true) return previous;
  throw new ServiceError('ValidationError', 'Either Template URL or Template Body must be specified.');
}

async function fetchTemplate(url: string, read: ReadObject): Promise<Uint8Array> {
  const place = placeOf(url);
  if (place === undefined)
    throw new ServiceError(
      'ValidationError',
      `TemplateURL must be a supported URL: an object of S3, ${url} is none.`,
    );
  const found = await read(place.bucket, place.key);
  if (found !== undefined) return found;
  throw new ServiceError('ValidationError', `S3 error: The specified key does not exist. (${url})`);
}

/** Bucket and key of a URL of S3, in path style or with the bucket in the host; `undefined` for anything else. */
export function placeOf(url: string): { readonly bucket: string; readonly key: string } | undefined {
  if (!URL.canParse(url)) return undefined;
  const { hostname, pathname, protocol } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:') return undefined;
  const path = decodeURIComponent(pathname.slice(1));
  const inHost = /^(.+)\.s3[.-]/.exec(hostname)?.[1];
  if (inHost !== undefined) return path === '' ? undefined : { bucket: inHost, key: path };
  const isS3 = /^s3[.-]/.test(hostname) || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  const slash = path.indexOf('/');
  if (!isS3 || slash < 1 || slash === path.length - 1) return undefined;
  return { bucket: path.slice(0, slash), key: path.slice(slash + 1) };
}

/** Reads by the action GetObject, whose body may be bytes or something that gives them. */
export const readBy =
  (getObject: NamedOperation): ReadObject =>
  async (bucket, key) => {
    try {
      const { Body } = (await getObject({ Bucket: bucket, Key: key }, {})) as { Body?: unknown };
      if (Body instanceof Uint8Array) return Body;
      if (typeof Body === 'string') return Buffer.from(Body);
      throw new Error(`GetObject answered for ${bucket}/${key} without bytes`);
    } catch (error) {
      if (error instanceof ServiceError && /^NoSuch(Key|Bucket)$/.test(error.name)) return undefined;
      throw error;
    }
  };

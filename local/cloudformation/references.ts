import { attributeOf, intrinsicOf, substitute } from './intrinsics.ts';
import { isObject, type Template, type TemplateResource } from './template.ts';

/** A use of another part of the template. */
export type Reference =
  | { readonly kind: 'ref'; readonly name: string }
  | { readonly kind: 'attribute'; readonly name: string; readonly attribute: string }
  | { readonly kind: 'condition'; readonly name: string }
  | { readonly kind: 'mapping'; readonly name: string }
  | { readonly kind: 'function'; readonly name: string };

/** Everything that a value refers to, the intrinsic functions themselves included. */
export function* referencesOf(value: unknown): Generator<Reference> {
  if (Array.isArray(value)) {
    for (const entry of value) yield* referencesOf(entry);
    return;
  }
  if (!isObject(value)) return;
  const name = intrinsicOf(value);
  if (name === undefined) {
    for (const entry of Object.values(value)) yield* referencesOf(entry);
    return;
  }
  yield { kind: 'function', name };
  const argument = value[name];
  if (name === 'Ref') yield { kind: 'ref', name: String(argument) };
  else if (name === 'Fn::GetAtt') {
    const [logicalId, attribute] = attributeOf(argument);
    yield { kind: 'attribute', name: logicalId, attribute };
  } else if (name === 'Fn::Sub') {
    const [template, own] = Array.isArray(argument) ? argument : [argument, {}];
    const found: Reference[] = [];
    substitute(String(template), (part) => {
      const dot = part.indexOf('.');
      if (isObject(own) && Object.hasOwn(own, part)) return '';
      if (dot < 0) found.push({ kind: 'ref', name: part });
      else found.push({ kind: 'attribute', name: part.slice(0, dot), attribute: part.slice(dot + 1) });
      return '';
    });
    yield* found;
    yield* referencesOf(own);
  } else {
    if (name === 'Fn::If' && Array.isArray(argument)) {
      yield { kind: 'condition', name: String(argument[0]) };
      yield* referencesOf(argument.slice(1));
      return;
    }
    if (name === 'Fn::FindInMap' && Array.isArray(argument) && typeof argument[0] === 'string') {
      yield { kind: 'mapping', name: argument[0] };
    }
    yield* referencesOf(argument);
  }
}

/** The logical ids that a resource needs first: by DependsOn, and by what its properties refer to. */
export function dependenciesOf(resource: TemplateResource, template: Template): ReadonlySet<string> {
  const needed = new Set([resource.DependsOn ?? []].flat());
  for (const reference of referencesOf(resource.Properties ?? {})) {
    const isResource = Object.hasOwn(template.Resources ?? {}, reference.name);
    if (isResource && (reference.kind === 'ref' || reference.kind === 'attribute'))
      needed.add(reference.name);
  }
  return needed;
}

/**
 * The resources in an order in which each comes after what it needs; among those that are free to go, the order
 * of the template. When that is impossible, the cycle by its logical ids.
 */
export function orderOf(
  template: Template,
  wanted: ReadonlySet<string>,
): { readonly order: readonly string[] } | { readonly cycle: readonly string[] } {
  const order: string[] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (logicalId: string): readonly string[] | undefined => {
    if (done.has(logicalId) || !wanted.has(logicalId)) return undefined;
    const start = path.indexOf(logicalId);
    if (start >= 0) return [...path.slice(start), logicalId];
    const resource = template.Resources?.[logicalId];
    if (resource === undefined) return undefined;
    path.push(logicalId);
    for (const needed of dependenciesOf(resource, template)) {
      const cycle = visit(needed);
      if (cycle !== undefined) return cycle;
    }
    path.pop();
    done.add(logicalId);
    order.push(logicalId);
    return undefined;
  };
  for (const logicalId of wanted) {
    const cycle = visit(logicalId);
    if (cycle !== undefined) return { cycle };
  }
  return { order };
}

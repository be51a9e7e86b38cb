/** What was decided, by role, action and resource: three looks at texts, since joining them would cost more. */
export interface Decisions<Decision> {
  get(role: string, action: string, resource: string): Decision | undefined;
  set(role: string, action: string, resource: string, decision: Decision): void;
  clear(): void;
}

/** An empty memory; when it holds `most` decisions it begins anew. */
export function createDecisions<Decision>(most: number): Decisions<Decision> {
  const kept = new Map<string, Map<string, Map<string, Decision>>>();
  let count = 0;
  return {
    get: (role, action, resource) => kept.get(role)?.get(action)?.get(resource),
    set(role, action, resource, decision) {
      if (++count > most) this.clear();
      const byAction = kept.get(role) ?? new Map<string, Map<string, Decision>>();
      const byResource = byAction.get(action) ?? new Map<string, Decision>();
      kept.set(role, byAction.set(action, byResource.set(resource, decision)));
    },
    clear() {
      kept.clear();
      count = 0;
    },
  };
}

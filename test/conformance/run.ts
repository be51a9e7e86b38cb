import type { CaseGroup, ConformanceCase } from './case.ts';
import { type CaseResult, playCase } from './play.ts';
import type { World } from './world.ts';

/** Where cases are played. */
export interface Stage {
  /** What the server has; a case that needs more is not supported. */
  readonly services: readonly string[];
  /** Whether hours can pass. */
  readonly drivesTime: boolean;
  /** How many cases are played at once. */
  readonly abreast: number;
  with(one: ConformanceCase, play: (world: World) => Promise<void>): Promise<void>;
}

/** Plays the cases of the groups on a stage, several at once; the results come in the order of the cases. */
export async function playAll(
  stage: Stage,
  groups: readonly CaseGroup[],
  heard: (result: CaseResult) => void = () => {},
): Promise<readonly CaseResult[]> {
  const all = groups.flatMap((group) => group.cases.map((one) => ({ group, one })));
  const results: CaseResult[] = [];
  let next = 0;
  const worker = async () => {
    for (;;) {
      const index = next;
      next += 1;
      const todo = all[index];
      if (todo === undefined) return;
      const { group, one } = todo;
      const reason = lacking(stage, group, one);
      const result =
        reason === undefined
          ? await playCase(group, one, (play) => stage.with(one, play))
          : {
              id: `${group.name}/${one.name}`,
              group: group.name,
              status: 'unsupported' as const,
              note: reason,
            };
      results[index] = result;
      heard(result);
    }
  };
  await Promise.all(Array.from({ length: Math.min(stage.abreast, all.length) }, worker));
  return results;
}

function lacking(stage: Stage, group: CaseGroup, one: ConformanceCase): string | undefined {
  const needs = new Set([...group.needs, ...(one.needs ?? []), ...(one.functions ? ['lambda'] : [])]);
  const absent = [...needs].filter((service) => !stage.services.includes(service));
  if (absent.length > 0) return `The server has no ${absent.join(' and no ')}.`;
  if (one.hours === true && !stage.drivesTime) return 'It takes hours: it is played on the model’s clock.';
  return undefined;
}

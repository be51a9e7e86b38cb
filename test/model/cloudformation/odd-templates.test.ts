import { describe, expect, it } from 'vitest';
import { prepareThings, thing, things } from './things.ts';

/** What CreateStack says to a template; `undefined` when it takes it. */
async function answerTo(template: unknown): Promise<string | undefined> {
  const { create } = prepareThings();
  const text = typeof template === 'string' ? template : JSON.stringify(template);
  return create(text).then(
    () => undefined,
    (error: Error) => `${error.name}: ${error.message}`,
  );
}

const one = { A: thing() };

describe('A template that is none is refused in one line that names the place', () => {
  it.each<[string, unknown, string]>([
    ['a section that is a list', { Resources: one, Outputs: ['a'] }, '[/Outputs] Outputs must be an object'],
    ['an output without a value', { Resources: one, Outputs: { O: null } }, '[/Outputs/O]'],
    [
      'an output that is a list',
      { Resources: one, Outputs: { O: { Value: ['a'] } } },
      'must evaluate to a String',
    ],
    ['a parameter that is nothing', { Resources: one, Parameters: { P: null } }, '[/Parameters/P]'],
    ['a parameter without a type', { Resources: one, Parameters: { P: {} } }, '[/Parameters/P]'],
    [
      'a default that is an object',
      { Resources: one, Parameters: { P: { Type: 'String', Default: { a: 1 } } } },
      'Every Default member must be a string',
    ],
    [
      'a pattern that cannot be read',
      { Resources: one, Parameters: { P: { Type: 'String', Default: 'x', AllowedPattern: '[a-' } } },
      'AllowedPattern [a- is not a regular expression',
    ],
    [
      'allowed values that are none',
      { Resources: one, Parameters: { P: { Type: 'String', Default: 'x', AllowedValues: 'x' } } },
      'AllowedValues must be a list',
    ],
    [
      'properties that are a list',
      { Resources: { A: { Type: 'Test::Thing', Properties: [1] } } },
      'Properties',
    ],
    [
      'a policy that there is not',
      { Resources: { A: thing({}, { DeletionPolicy: 'Maybe' }) } },
      'DeletionPolicy is "Maybe"; for such a resource there are Delete, Retain, RetainExceptOnCreate',
    ],
    [
      'a policy for databases only',
      { Resources: { A: thing({}, { UpdateReplacePolicy: 'Snapshot' }) } },
      'UpdateReplacePolicy is "Snapshot"',
    ],
    ['a mapping without rows', { Resources: one, Mappings: { M: { a: 1 } } }, '[/Mappings/M/a]'],
    ['an id with other characters', { Resources: { 'a-b/../c': thing() } }, 'a-b/../c is non alphanumeric'],
    ['an id that objects inherit by', `{"Resources":{"__proto__":{"Type":"Test::Thing"}}}`, '__proto__'],
    [
      'more resources than a stack can have',
      { Resources: Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`A${index}`, thing()])) },
      'Number of resources, 501, is greater than maximum allowed, 500',
    ],
  ])('%s', async (_what, template, place) => {
    const answer = await answerTo(template);
    expect(answer).toMatch(/^ValidationError: Template format error: /);
    expect(answer).toContain(place);
  });

  it.each<[string, unknown]>([
    ['types of resources', { Resources: { A: { Type: 'constructor' } } }],
    ['types of resources, the other way', { Resources: { A: { Type: '__proto__' } } }],
    ['resources', { Resources: one, Outputs: { O: { Value: { Ref: 'toString' } } } }],
    ['dependencies', { Resources: { A: thing({}, { DependsOn: 'toString' }) } }],
    ['conditions', { Resources: { A: thing({}, { Condition: 'toString' }) } }],
    [
      'rows of mappings',
      {
        Resources: { A: thing({ Value: { 'Fn::FindInMap': ['M', 'constructor', 'name'] } }) },
        Mappings: { M: { a: { b: 'x' } } },
      },
    ],
  ])('what every object of the language has is not among the %s', async (_what, template) => {
    expect(await answerTo(template)).toMatch(/^ValidationError: /);
  });

  it('but such a name may be given to a resource and a parameter', async () => {
    const { create, things: made, status } = prepareThings();
    const template = things(
      { constructor: { Value: { Ref: 'valueOf' } } },
      { Parameters: { valueOf: { Type: 'String', Default: 'mine' } } },
    );
    await create(template);
    expect([await status(), made.get('constructor-1')?.Value]).toEqual(['CREATE_COMPLETE', 'mine']);
  });

  it('one that is nested without end, in JSON and in YAML', async () => {
    const nest = (count: number) => '['.repeat(count) + ']'.repeat(count);
    for (const count of [200, 20_000]) {
      const json = `{"Resources":{"A":{"Type":"Test::Thing","Properties":{"Value":${nest(count)}}}}}`;
      expect(await answerTo(json)).toMatch(/^ValidationError: Template format error: it is nested/);
      const yaml = `Resources:\n  A:\n    Type: Test::Thing\n    Properties:\n      Value: ${nest(count)}\n`;
      expect(await answerTo(yaml)).toMatch(/^ValidationError: Template format error: /);
    }
  });

  it('and an output that turns out to be none is not made a text of', async () => {
    const { create, call, status } = prepareThings();
    for (const Value of [{ Ref: 'Names' }, { Ref: 'AWS::NoValue' }]) {
      const Parameters = { Names: { Type: 'CommaDelimitedList', Default: 'a,b' } };
      await create(JSON.stringify({ Parameters, Resources: one, Outputs: { O: { Value } } }));
      expect(await status()).toBe('ROLLBACK_COMPLETE');
      await call('DeleteStack', { StackName: 'Shop' });
    }
  });

  it('and an app’s template is told the same way', async () => {
    const { deploy } = prepareThings();
    await expect(deploy({ Resources: {} })).rejects.toThrow(
      'Stack Shop: Template format error: At least one Resources member must be defined.',
    );
  });
});

describe('Aliases of YAML', () => {
  const resource = (value: string, before = '') =>
    `${before}Resources:\n  A:\n    Type: Test::Thing\n    Properties:\n      Label: A\n      Value: ${value}\n`;

  it('stand for what their anchor names at that place', async () => {
    const { create, things: made } = prepareThings();
    await create(resource('[&x 1, *x, &x [!Ref AWS::Region], *x, *deep]', 'Metadata: &deep { a: 1 }\n'));
    expect(made.get('A-1')?.Value).toEqual([1, 1, ['us-east-1'], ['us-east-1'], { a: 1 }]);
  });

  it('do not stand in what they name', async () => {
    expect(await answerTo(resource('&a [*a]'))).toContain('the alias *a stands in what it names');
  });

  it('name what comes before them', async () => {
    expect(await answerTo(resource('[*a, &a 1]'))).toContain('ValidationError: Template format error');
  });

  it('do not make millions of values out of a few lines', async () => {
    const lines = ['x0: &a0 [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]'];
    for (let level = 1; level < 9; level++)
      lines.push(
        `x${level}: &a${level} [${Array(10)
          .fill(`*a${level - 1}`)
          .join(', ')}]`,
      );
    expect(await answerTo(resource('1', `${lines.join('\n')}\n`))).toContain(
      'its aliases stand for more than 100000 values',
    );
  });
});

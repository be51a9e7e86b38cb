import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Stack } from 'aws-cdk-lib';
import { Architecture, Runtime } from 'aws-cdk-lib/aws-lambda';
import {
  type BundlingOptions,
  Charset,
  NodejsFunction,
  OutputFormat,
  SourceMapMode,
} from 'aws-cdk-lib/aws-lambda-nodejs';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { Consumer, ConsumerFunction, type ConsumerWork, RecordsTable } from 'sluice/cdk';
import { describe, expect, it } from 'vitest';
import { handlerBundling } from '../../../lib/constructs/bundling.ts';
import { shop } from '../fixtures/shop.ts';
import { appWith, assetsOf, project } from './project.ts';
import { propertiesOf } from './support.ts';

const handler = (says: string) =>
  `export const handler = async (): Promise<string> => ${JSON.stringify(says)};\n`;

/** A consumer for each of some handlers, prepared together as a stack does it. */
function consume(
  scope: Stack,
  entries: readonly string[],
  bundling?: BundlingOptions,
  consumer = Consumer.nodejs(),
) {
  const place = {
    queue: new Queue(scope, 'Queue'),
    deadLetterQueue: new Queue(scope, 'DeadLetterQueue'),
    records: new RecordsTable(scope, 'Records'),
  };
  const works = entries.map(
    (entry): ConsumerWork => ({
      ...place,
      entry,
      definition: shop.subscribers.analytics,
      functionOptions: { bundling },
    }),
  );
  for (const work of works) consumer.prepare(scope, work);
  return works.map((work, index) => consumer.bind(new Stack(scope, `S${index}`) as Construct, work));
}

/** What NodejsFunction makes of a handler with the same options. */
function byNodejsFunction(entry: string, bundling: BundlingOptions, depsLockFilePath: string) {
  const { outdir, stack } = appWith();
  new NodejsFunction(stack, 'Function', {
    entry,
    depsLockFilePath,
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    bundling: { ...handlerBundling, ...bundling },
  });
  return assetsOf(outdir);
}

const root = fileURLToPath(new URL('../../..', import.meta.url));

describe('A handler’s bundle is the one that NodejsFunction makes, to the byte', () => {
  it('of the orders’ handlers, bundled together', () => {
    const entries = ['payments', 'analytics'].map((name) =>
      join(root, `examples/orders/handlers/${name}.ts`),
    );
    const { stack, outdir } = appWith();
    consume(stack, entries);
    const assets = assetsOf(outdir);
    expect(Object.values(assets).map((files) => Object.keys(files))).toEqual([['index.mjs'], ['index.mjs']]);
    for (const entry of entries) {
      const [[hash, files]] = Object.entries(
        byNodejsFunction(entry, {}, join(root, 'package-lock.json')),
      ) as [[string, object]];
      expect(Object.keys(assets)).toContain(hash);
      expect(assets[hash]).toEqual(files);
    }
  });

  const text = 'export const text = "Zürich";\n';
  it.each<[string, BundlingOptions]>([
    [
      'CommonJS with banner and footer, defined, external, from other fields, for another target',
      {
        format: OutputFormat.CJS,
        banner: '/* b */',
        footer: '/* f */',
        define: { PLACE: '"Bern"' },
        externalModules: ['left-out'],
        mainFields: ['main'],
        target: 'es2020',
      },
    ],
    [
      'not minified, with names, a source map beside it',
      { minify: false, keepNames: true, sourceMap: true, sourcesContent: false },
    ],
    [
      'a source map inside, injected, its own settings of TypeScript, arguments for esbuild',
      {
        sourceMap: true,
        sourceMapMode: SourceMapMode.INLINE,
        inject: ['./inject.ts'],
        tsconfig: 'strict.json',
        esbuildArgs: { '--alias': 'placed=./text.ts', '--drop': ['console'], '--legal-comments': 'none' },
      },
    ],
  ])('with options: %s', (_, options) => {
    const { folder } = project({
      'a/handler.ts': `import { text } from '../text.ts'; import words from './words.txt'; import { x } from 'left-out';
        declare const PLACE: string, injected: string;
        /*! law */ console.log(words, x, typeof PLACE === 'string' && PLACE, typeof injected === 'string' && injected);
        export class Named {} export const handler = async () => text + '@@';\n`,
      'text.ts': text,
      'inject.ts': 'export const injected = "injected";\n',
      'a/words.txt': 'words\n',
      'strict.json': '{"compilerOptions":{"alwaysStrict":true,"target":"ES2017"}}',
      'node_modules/left-out/package.json': '{"main":"main.js","module":"module.js"}',
      'node_modules/left-out/main.js': 'exports.x = "main";',
      'node_modules/left-out/module.js': 'export const x = "module";',
    });
    const bundling = {
      loader: { '.txt': 'text' },
      ...options,
      ...(options.tsconfig === undefined ? {} : { tsconfig: join(folder, 'strict.json') }),
    };
    const entry = join(folder, 'a/handler.ts');
    const { stack, outdir } = appWith();
    consume(stack, [entry], bundling);
    const expected = byNodejsFunction(entry, bundling, join(folder, 'package-lock.json'));
    // From one temporary folder to another: where the sources are depends on neither's name.
    expect(assetsOf(outdir)).toEqual(expected);
  });

  it('but for the character set, which NodejsFunction forgets', () => {
    const { folder } = project({ 'handler.ts': handler('Zürich') });
    const textOf = (bundling?: BundlingOptions) => {
      const { stack, outdir } = appWith();
      consume(stack, [join(folder, 'handler.ts')], bundling);
      return Object.values(assetsOf(outdir))[0]!['index.mjs'];
    };
    expect(textOf()).toContain('Z\\xFCrich');
    expect(textOf({ charset: Charset.UTF8 })).toContain('Zürich');
  });
});

describe('The handlers of a stack are bundled by one run of esbuild', () => {
  it('found from their own package', () => {
    const { folder, runs } = project({ 'a.ts': handler('a'), 'b.ts': handler('b'), 'c.ts': handler('c') });
    const { stack, outdir } = appWith();
    consume(
      stack,
      ['a.ts', 'b.ts', 'c.ts'].map((name) => join(folder, name)),
    );
    expect(runs()).toHaveLength(1);
    expect(runs()[0]).toHaveLength(3);
    expect(Object.keys(assetsOf(outdir))).toHaveLength(3);
  });

  it('files of one name in different folders stay apart', () => {
    const { folder } = project({ 'a/handler.ts': handler('first'), 'b/handler.ts': handler('second') });
    const { stack, outdir } = appWith();
    consume(
      stack,
      ['a', 'b'].map((name) => join(folder, name, 'handler.ts')),
    );
    const texts = Object.values(assetsOf(outdir)).map((files) => files['index.mjs']);
    expect(texts.map((text) => /first|second/.exec(text!)?.[0]).sort()).toEqual(['first', 'second']);
  });

  it('once for two stacks that share handlers, and again for what the second has more', () => {
    const { folder, runs } = project({ 'a.ts': handler('a'), 'b.ts': handler('b') });
    const { app, stack } = appWith();
    consume(stack, [join(folder, 'a.ts')]);
    consume(new Stack(app, 'Second'), [join(folder, 'a.ts'), join(folder, 'b.ts')]);
    expect(runs().map((entries) => entries.length)).toEqual([1, 1]);
  });

  it('apart from those with other options', () => {
    const { folder, runs } = project({ 'a.ts': handler('a'), 'b.ts': handler('b') });
    const { stack, outdir } = appWith();
    consume(stack, [join(folder, 'a.ts')]);
    consume(new Stack(stack, 'Other'), [join(folder, 'a.ts')], { format: OutputFormat.CJS });
    expect(runs()).toHaveLength(2);
    expect(
      Object.values(assetsOf(outdir))
        .flatMap((files) => Object.keys(files))
        .sort(),
    ).toEqual(['index.js', 'index.mjs']);
  });

  it('not at all when the stack is not to be bundled, or its consumers are workers', () => {
    const { folder, runs } = project({ 'a.ts': handler('a') });
    const entry = join(folder, 'a.ts');
    const { stack, outdir } = appWith({ 'aws:cdk:bundling-stacks': [] });
    consume(stack, [entry]);
    expect(assetsOf(outdir)).toEqual({});
    const workers = appWith().stack;
    const [queue, deadLetterQueue] = [new Queue(workers, 'Queue'), new Queue(workers, 'Dead')];
    const records = new RecordsTable(workers, 'Records');
    new ConsumerFunction(workers, 'C', { entry, queue, deadLetterQueue, records, consumers: 'worker' });
    expect(runs()).toEqual([]);
  });
});

describe('A bundle follows its handler', () => {
  it('the asset changes with the code, and with nothing else', () => {
    const { folder, write, runs } = project({
      'a.ts': "import { word } from './word.ts';\nexport const handler = async () => word;\n",
      'word.ts': "export const word = 'one';\n",
    });
    const hashNow = () => {
      const { stack, outdir } = appWith();
      consume(stack, [join(folder, 'a.ts')]);
      return Object.keys(assetsOf(outdir))[0];
    };
    const first = hashNow();
    expect(hashNow()).toBe(first);
    // The second app of a process bundles nothing anew.
    expect(runs()).toHaveLength(1);
    write('word.ts', "export const word = 'three';\n");
    const second = hashNow();
    expect(second).not.toBe(first);
    write('unrelated.ts', 'nothing');
    expect(hashNow()).toBe(second);
    expect(runs()).toHaveLength(2);
    write('word.ts', "export const word = 'one';\n");
    expect(hashNow()).toBe(first);
  });

  it('and the settings that the way to its modules depends on', () => {
    const { folder, write, runs } = project({
      'a.ts': "import { x } from 'thing';\nexport const handler = async () => x;\n",
      'node_modules/thing/package.json': '{"main":"one.js"}',
      'node_modules/thing/one.js': 'export const x = "one";',
      'node_modules/thing/two.js': 'export const x = "two";',
    });
    const textNow = () => {
      const { stack, outdir } = appWith();
      consume(stack, [join(folder, 'a.ts')]);
      return Object.values(assetsOf(outdir))[0]!['index.mjs'];
    };
    expect(textNow()).toContain('one');
    write('node_modules/thing/package.json', '{ "main": "two.js" }');
    expect(textNow()).toContain('two');
    write('tsconfig.json', '{"compilerOptions":{"paths":{"thing":["./node_modules/thing/one.js"]}}}');
    expect(textNow()).toContain('one');
    expect(runs()).toHaveLength(3);
  });
});

describe('What cannot be bundled is said once, plainly', () => {
  it('all faults of all handlers in one error, without a stack trace, and nothing half-written', () => {
    const { folder, runs } = project({
      'good.ts': handler('good'),
      'syntax.ts': 'export const handler = async () => {',
      'lost.ts': "import './nowhere.ts';\nexport const handler = async () => {};\n",
    });
    const { stack, outdir } = appWith();
    let thrown: unknown;
    try {
      consume(
        stack,
        ['good.ts', 'syntax.ts', 'lost.ts'].map((name) => join(folder, name)),
      );
    } catch (error) {
      thrown = error;
    }
    const { message, stack: trace } = thrown as Error;
    expect(message).toMatch(/^Handlers cannot be bundled; esbuild says:/);
    expect(message).toContain('syntax.ts:1:36');
    expect(message).toContain('Could not resolve "./nowhere.ts"');
    expect(trace).toBe(`Error: ${message}`);
    expect(runs()).toHaveLength(1);
    expect(readdirSync(outdir).filter((name) => name !== 'cdk.out')).toEqual([]);
  });
});

describe('Options that need more than esbuild', () => {
  it('leave the bundling to NodejsFunction: commands after it run', () => {
    const { folder, runs } = project({ 'a.ts': handler('a'), 'b.ts': handler('b') });
    const { stack, outdir } = appWith();
    consume(stack, [join(folder, 'a.ts')], {
      commandHooks: {
        beforeBundling: () => [],
        beforeInstall: () => [],
        afterBundling: (_, output) => [`echo done > ${output}/note.txt`],
      },
    });
    expect(Object.values(assetsOf(outdir)).map((files) => Object.keys(files).sort())).toEqual([
      ['index.mjs', 'note.txt'],
    ]);
    expect(runs()).toEqual([]);
    const [{ Handler }] = propertiesOf(stack.node.findChild('S0') as Stack, 'AWS::Lambda::Function') as [
      { Handler: string },
    ];
    expect(Handler).toBe('index.handler');
  });

  it('files beside the bundle too: loaders that write them, and arguments about the output', () => {
    for (const bundling of [
      { loader: { '.txt': 'file' } },
      { esbuildArgs: { '--asset-names': '[name]-x' } },
    ]) {
      const { folder, runs } = project({
        'a.ts': "import name from './words.txt';\nexport const handler = async () => name;\n",
        'words.txt': 'words',
      });
      const { stack, outdir } = appWith();
      consume(stack, [join(folder, 'a.ts')], { loader: { '.txt': 'file' }, ...bundling });
      expect(Object.keys(Object.values(assetsOf(outdir))[0]!)).toHaveLength(2);
      expect(runs()).toEqual([]);
    }
  });
});

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository, with a slash at its end. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** The pages of the documentation, by their path in the repository. */
export const pages: ReadonlyMap<string, string> = new Map(
  [
    'README.md',
    ...readdirSync(join(root, 'docs'))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`),
  ].map((path) => [path, readFileSync(join(root, path), 'utf8')]),
);

/** A fenced block of a page. */
export interface Block {
  /** The page's path. */
  readonly page: string;
  /** Where it begins, from 1. */
  readonly line: number;
  /** First word behind the fence: `ts`, `sh` or `text`. */
  readonly language: string;
  /** Whether `run` stands behind the language. */
  readonly run: boolean;
  readonly text: string;
}

/** The fenced blocks of all pages, in order. */
export const blocks: readonly Block[] = [...pages].flatMap(([page, text]) => blocksOf(page, text));

function blocksOf(page: string, text: string): Block[] {
  const found: Block[] = [];
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at++) {
    const info = /^```(\w*)(.*)$/.exec(lines[at] as string);
    if (info === null) continue;
    const end = lines.indexOf('```', at + 1);
    if (end < 0) throw new Error(`${page}:${at + 1}: the block is never closed.`);
    found.push({
      page,
      line: at + 1,
      language: info[1] as string,
      run: info[2]?.trim() === 'run',
      text: `${lines.slice(at + 1, end).join('\n')}\n`,
    });
    at = end;
  }
  return found;
}

/** A TypeScript block as a file. */
export interface Example extends Block {
  readonly path: string;
  /** What it must print: the text block that follows it, if there is one. */
  readonly prints: string | undefined;
}

/** Where the examples are written to: inside the repository, so that packages resolve as they do in it. */
export const exampleFolder = join(root, '.cache', 'docs');

/**
 * Writes each TypeScript block to a file. The README's are one project, those of the pages another, so that a page
 * can import what a file of another page declares. The name of the file is the comment in the block's first line.
 */
export function writeExamples(): readonly Example[] {
  rmSync(exampleFolder, { recursive: true, force: true });
  const examples = blocks.flatMap((block, index): Example[] => {
    if (block.language !== 'ts') return [];
    const project = block.page === 'README.md' ? 'readme' : 'pages';
    const page = block.page.replace(/^.*\//, '').replace(/\.md$/, '');
    const named = /^\/\/ (\S+\.ts)\n/.exec(block.text)?.[1];
    const path = join(exampleFolder, project, named ?? `${page}-line-${block.line}.ts`);
    if (existsSync(path)) throw new Error(`${block.page}:${block.line}: there is another ${named}.`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, block.text);
    const next = blocks[index + 1];
    const prints = next?.page === block.page && next.language === 'text' ? next.text : undefined;
    return [{ ...block, path, prints }];
  });
  writeFileSync(
    join(exampleFolder, 'tsconfig.json'),
    JSON.stringify({ extends: '../../tsconfig.json', include: ['.'], exclude: [] }),
  );
  return examples;
}

/** The commands of all shell blocks, joined ones apart, with the page that shows them. */
export const commands: readonly { readonly page: string; readonly line: number; readonly command: string }[] =
  blocks
    .filter(({ language }) => language === 'sh')
    .flatMap(({ page, line, text }) =>
      text
        .trimEnd()
        .split('\n')
        .flatMap((row, index) =>
          row.split(' && ').map((command) => ({ page, line: line + 1 + index, command: command.trim() })),
        ),
    );

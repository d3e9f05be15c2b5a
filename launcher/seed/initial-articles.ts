import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { isCityInState } from '@alpenglow/domain';
import { ROOT_DIR } from '@alpenglow/infra';
import { parse } from 'yaml';
import * as z from 'zod/mini';

/** One of the initial articles of the blog. */
export interface InitialArticle {
  readonly slug: string;
  readonly title: string;
  readonly summary: string;
  /**
   * State and city that the article is about, spelled as in the list of places. Both values are null if the article is
   * not about a city.
   */
  readonly state: string | null;
  readonly city: string | null;
  readonly tags: readonly string[];
  /** Number of days between the publication and the seeding. */
  readonly publishedDaysAgo: number;
  /** Text of the article in Markdown, without the title. */
  readonly body: string;
}

const FOLDER = path.join(ROOT_DIR, 'launcher/seed/articles');
const EXTENSION = '.md';
const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/u;
const PARTS = /^---\n(?<head>.*?\n)---\n(?<body>.*)$/su;

/** English error messages for the validation. Without them, zod/mini only reports "Invalid input". */
const englishErrors = z.locales.en().localeError;

const head = z
  .strictObject({
    title: z.string().check(z.minLength(1), z.maxLength(90)),
    summary: z.string().check(z.minLength(80), z.maxLength(200)),
    state: z.nullish(z.string()),
    city: z.nullish(z.string()),
    tags: z
      .array(z.enum(['safety', 'etiquette', 'verification', 'privacy', 'cities', 'providers', 'clients']))
      .check(z.minLength(1), z.maxLength(4)),
    publishedDaysAgo: z.int().check(z.minimum(4), z.maximum(90)),
  })
  .check(
    z.refine(
      ({ state, city }) =>
        (state ?? null) === null ? (city ?? null) === null : isCityInState(state ?? '', city ?? ''),
      'state and city must be a known place',
    ),
  );

/**
 * Reads the initial articles of the blog, sorted by slug. Each article is a Markdown file with YAML front matter, and
 * its slug is the name of the file. If a file is invalid, throws an error with the name of the file.
 */
export async function readInitialArticles(folder: string = FOLDER): Promise<readonly InitialArticle[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(EXTENSION)).sort();
  return Promise.all(files.map(async (file) => parseArticle(file, await readFile(path.join(folder, file), 'utf8'))));
}

function parseArticle(file: string, text: string): InitialArticle {
  const slug = path.basename(file, EXTENSION);
  if (!SLUG.test(slug)) throw new Error(`${file}: the name must be a slug: small letters, digits, single hyphens`);
  const parts = PARTS.exec(text)?.groups;
  if (parts === undefined) throw new Error(`${file}: must begin with front matter between two lines of ---`);
  const body = parts['body']?.trim() ?? '';
  if (body === '') throw new Error(`${file}: has no text`);
  const { state = null, city = null, ...rest } = parseHead(file, parts['head'] ?? '');
  return { slug, ...rest, state, city, body };
}

function parseHead(file: string, yaml: string): z.infer<typeof head> {
  try {
    return head.parse(parse(yaml), { error: englishErrors });
  } catch (error) {
    const message = error instanceof z.core.$ZodError ? z.prettifyError(error) : String(error);
    throw new Error(`${file}: ${message}`, { cause: error });
  }
}

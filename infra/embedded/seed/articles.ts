import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { isPlace } from '@alpenglow/domain';
import { parse } from 'yaml';
import * as z from 'zod/mini';
import { ROOT_DIR } from '../root-dir.ts';

/** An article the blog begins with. */
export interface StarterArticle {
  readonly slug: string;
  readonly title: string;
  readonly summary: string;
  /** Both for an article about a city, spelled as in the domain's places; null for any other. */
  readonly state: string | null;
  readonly city: string | null;
  readonly tags: readonly string[];
  /** How long before the seeding it was published. */
  readonly publishedDaysAgo: number;
  /** Markdown, without the title. */
  readonly body: string;
}

const FOLDER = path.join(ROOT_DIR, 'infra/embedded/seed/articles');
const ENDING = '.md';
const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/u;
const PARTS = /^---\n(?<head>.*?\n)---\n(?<body>.*)$/su;

/** zod/mini alone says no more than "Invalid input". */
const saysWhat = z.locales.en().localeError;

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
      ({ state, city }) => ((state ?? null) === null ? (city ?? null) === null : isPlace(state ?? '', city ?? '')),
      'state and city name no place we have',
    ),
  );

/**
 * The articles the blog begins with, in the order of their slugs: one Markdown file each, with its facts as YAML on top, named after its slug.
 * `folder` is theirs unless another is given. Throws with the name of a file that is not as it should be.
 */
export async function starterArticles(folder: string = FOLDER): Promise<readonly StarterArticle[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(ENDING)).sort();
  return Promise.all(files.map(async (file) => articleOf(file, await readFile(path.join(folder, file), 'utf8'))));
}

function articleOf(file: string, text: string): StarterArticle {
  const slug = path.basename(file, ENDING);
  if (!SLUG.test(slug)) throw new Error(`${file}: the name must be a slug: small letters, digits, single hyphens`);
  const parts = PARTS.exec(text)?.groups;
  if (parts === undefined) throw new Error(`${file}: must begin with its facts between two lines of ---`);
  const body = parts['body']?.trim() ?? '';
  if (body === '') throw new Error(`${file}: has no text`);
  const { state = null, city = null, ...rest } = factsOf(file, parts['head'] ?? '');
  return { slug, ...rest, state, city, body };
}

function factsOf(file: string, yaml: string): z.infer<typeof head> {
  try {
    return head.parse(parse(yaml), { error: saysWhat });
  } catch (error) {
    const message = error instanceof z.core.$ZodError ? z.prettifyError(error) : String(error);
    throw new Error(`${file}: ${message}`, { cause: error });
  }
}

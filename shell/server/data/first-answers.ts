import type { PageReads } from '@alpenglow/domain/contracts';
import { inScript } from '../html.ts';
import { createKept } from './kept.ts';
import { listedIn, type Listed } from './listed.ts';

/** An answer of the API as it goes into a page. */
export interface FirstAnswer {
  readonly path: string;
  /** Its JSON, fit to stand in a `<script>`. */
  readonly json: string;
  readonly position: string | null;
  readonly listed: Listed;
}

/** Pages that come together are made of one answer. Whoever got it hears of what came since by the live channel, from its position on. */
const LIFETIME_ms = 1_000;
const MOST_KEPT = 200;
/** More would cost a page more than it wins. */
const LARGEST_characters = 200_000;

/** The answers of these paths, each made once a second at most; those that are refused or too large are left out. Rejects when one cannot be had. */
export function createFirstAnswers(
  reads: Pick<PageReads, 'answer'>,
): (paths: readonly string[]) => Promise<readonly FirstAnswer[]> {
  const kept = createKept({ make: read, lifetime_ms: LIFETIME_ms, max: MOST_KEPT });

  async function read(path: string): Promise<FirstAnswer | null> {
    const answer = await reads.answer(path);
    if (!answer || answer.body.length > LARGEST_characters) return null;
    return { path, json: inScript(answer.body), position: answer.position, listed: listedIn(path, answer.body) };
  }

  return async (paths) => (await Promise.all(paths.map((path) => kept.get(path)))).filter((answer) => answer !== null);
}

/** The JSON of the page's block (ui/src/api/first-answers.ts): the answers, and the earliest position that one of them is from. */
export function firstAnswersJson(answers: readonly FirstAnswer[]): string {
  const positions = answers.map(({ position }) => position);
  // Positions are ordered as text.
  const earliest = positions.includes(null) ? null : (positions.sort()[0] ?? null);
  const entries = answers.map(({ path, json }) => `${inScript(JSON.stringify(path))}:${json}`);
  return `{"position":${JSON.stringify(earliest)},"answers":{${entries.join(',')}}}`;
}

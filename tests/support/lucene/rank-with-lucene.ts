import { spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { BackingServiceUnavailable, fetchJars, requireJava } from '../../../launcher/engines/engine.mjs';

const ARTIFACT = { name: 'Lucene', groupId: 'org.apache.lucene', artifactId: 'lucene-core', version: '9.12.3' };
const JAVA_VERSION = 17;
const LIMIT_ms = 120_000;

/** A query. `match` states whether a text needs all words or any of them. */
interface LuceneQuery {
  readonly words: readonly string[];
  readonly match: 'all' | 'any';
}

/** Ranks texts, and returns the ids of the ten best texts of each query, the best first. */
export type LuceneRanking = (
  texts: ReadonlyMap<string, string>,
  queries: readonly LuceneQuery[],
) => Promise<readonly (readonly string[])[]>;

/**
 * Fetches Lucene with Maven and returns a function that ranks texts with Lucene's BM25. Throws
 * `BackingServiceUnavailable` if Java or Maven is missing, or if the download fails.
 */
export async function openLucene(): Promise<LuceneRanking> {
  await requireJava('Lucene', JAVA_VERSION);
  const jars = path.join(await fetchJars(ARTIFACT), '*');
  return async (texts, queries) => {
    // Java compiles the source file itself.
    const child = spawn('java', ['-Xmx512m', '-cp', jars, path.join(import.meta.dirname, 'Bm25.java')], {
      stdio: ['pipe', 'pipe', 'pipe'],
      signal: AbortSignal.timeout(LIMIT_ms),
    });
    const ended = new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    const documents = [...texts].map(([id, content]) => `D\t${id}\t${content.replaceAll(/\s+/gu, ' ')}\n`);
    const searches = queries.map(({ words, match }) => `Q\t${match}\t${words.join(' ')}\n`);
    child.stdin.on('error', () => undefined);
    child.stdin.end([...documents, ...searches].join(''));
    const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    if (code !== 0) throw new BackingServiceUnavailable(`Lucene ended with ${String(code)}: ${errors.slice(0, 500)}`);
    return output
      .split('\n')
      .slice(0, queries.length)
      .map((line) => line.split(' ').filter((id) => id !== ''));
  };
}

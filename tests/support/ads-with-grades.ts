import type { AdContent } from '@alpenglow/domain';
import { randomNumbers } from './random.ts';

/** A generated ad. `grades` has the true relevance of the ad by topic, 1 to 3. A missing topic has no relevance. */
export interface GradedAd {
  readonly id: string;
  readonly fields: AdContent;
  readonly grades: ReadonlyMap<number, number>;
}

export interface GradedAds {
  readonly ads: readonly GradedAd[];
  /** The words of each topic. A search for a topic has all of its words. */
  readonly topics: readonly (readonly string[])[];
  /** All words of titles and descriptions. */
  readonly words: readonly string[];
}

const BACKGROUND_WORDS = 1_500;
const SYLLABLES = [
  'an ber cal den el fin gar hol in jor kal lem mar nor ol pen',
  'qui ras sel tor un ver wil yor zan bri cla dro fla gre plo sta tri',
].flatMap((syllables) => syllables.split(' '));
const ENDINGS = ['', 's', 'er', 'ing', 'y'];
const PLACE = { category: 'escort', state: 'NV', city: 'Reno' } as const;
/** The share of ads that have only a part of a topic's words. */
const PARTIAL = 0.3;
const TITLE_BY_GRADE = [0, 0.05, 0.4, 0.9];

/**
 * Generates `count` ads. Each ad is about some topics to a degree, which is its true relevance for a search of this
 * topic. The texts follow from the degree by chance: the more relevant an ad is, the more often its description has the
 * words, and the more likely its title has them. Other words have Zipf's distribution, and descriptions have different
 * lengths.
 */
export function createGradedAds(count: number, seed: number): GradedAds {
  const random = randomNumbers(seed);
  const between = (min: number, max: number) => min + Math.floor(random() * (max - min + 1));
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const used = new Set<string>();
  const createWord = (): string => {
    const word = Array.from({ length: between(1, 3) }, () => pick(SYLLABLES)).join('') + pick(ENDINGS);
    if (word.length < 4 || used.has(word)) return createWord();
    used.add(word);
    return word;
  };
  const background = Array.from({ length: BACKGROUND_WORDS }, createWord);
  const topics = Array.from({ length: Math.ceil(count / 40) }, () => Array.from({ length: between(1, 3) }, createWord));
  const filler = (length: number) =>
    Array.from({ length }, () => background[Math.floor(BACKGROUND_WORDS ** random()) - 1] as string);
  const shuffle = (words: readonly string[]) =>
    words
      .map((word) => ({ word, at: random() }))
      .sort((one, other) => one.at - other.at)
      .map(({ word }) => word)
      .join(' ');
  const ads = Array.from({ length: count }, (_, number): GradedAd => {
    const grades = new Map<number, number>();
    const title = filler(between(2, 5));
    const description = filler(between(10, 150));
    for (let topicNumber = 0; topicNumber < 2; topicNumber += 1) {
      const topic = between(0, topics.length - 1);
      const words = topics[topic] ?? [];
      if (grades.has(topic)) continue;
      if (words.length > 1 && random() < PARTIAL) {
        description.push(...Array.from({ length: between(1, 4) }, () => words[0] as string));
        continue;
      }
      const grade = between(1, 3);
      grades.set(topic, grade);
      for (const word of words) {
        description.push(...Array.from({ length: 1 + Math.floor(random() * 2 * (grade - 1) + 0.5) }, () => word));
        if (random() < (TITLE_BY_GRADE[grade] ?? 0)) title.push(word);
      }
    }
    const fields: AdContent = {
      ...PLACE,
      name: `Anna${number}`,
      title: shuffle(title),
      description: shuffle(description),
    };
    return { id: `graded-${number}`, fields, grades };
  });
  return { ads, topics, words: [...background, ...topics.flat()] };
}

/**
 * Returns the normalized discounted cumulative gain of the first ten results, from 0 to 1. `grades` has the true
 * relevance of all ads.
 */
export function ndcgAt10(results: readonly string[], grades: ReadonlyMap<string, number>): number {
  const gain = (values: readonly number[]) =>
    values.slice(0, 10).reduce((sum, grade, index) => sum + (2 ** grade - 1) / Math.log2(index + 2), 0);
  const best = gain([...grades.values()].sort((one, other) => other - one));
  return best === 0 ? 1 : gain(results.map((id) => grades.get(id) ?? 0)) / best;
}

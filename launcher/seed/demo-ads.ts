import {
  CATEGORIES,
  DEMO_ADS_PER_CITY,
  DEMO_RATINGS,
  DEMO_REVIEWS,
  DEMO_WEIGHTS_percent,
  STATES,
  type AdContent,
  type Category,
} from '@alpenglow/domain';
import { chooseCovers, COVER_COUNT, photosFor } from './demo-pictures.ts';

/** A demo ad with the data of the account that posts it, its reviews and its age. */
export interface DemoAd {
  readonly email: string;
  readonly age: number;
  readonly fields: AdContent;
  readonly photos: readonly string[];
  readonly reviews: readonly { readonly name: string; readonly comment: string; readonly rating: number }[];
  /** Age of the ad at the time of seeding. */
  readonly age_ms: number;
  readonly isFeatured: boolean;
  /** True if an admin has verified the identity of the poster. */
  readonly isVerified: boolean;
  /** Number of views before the demo starts. */
  readonly views: number;
}

/** One ad out of this number is featured. This results in about a dozen featured ads, which fit on one page. */
const FEATURED_EVERY = 110;
/** One ad out of this number is verified. */
const VERIFIED_EVERY = 7;

/** Ads in large cities in addition to `DEMO_ADS_PER_CITY`. */
const MORE_ADS: Readonly<Record<string, number>> = {
  'Los Angeles': 19,
  'New York City': 15,
  'Las Vegas': 12,
  Miami: 9,
  Chicago: 8,
  Houston: 7,
  'San Francisco': 6,
  'San Diego': 5,
  Dallas: 5,
  Phoenix: 4,
  Austin: 4,
};
/** Additional ads in all other cities, assigned in turn. */
const MORE_ADS_ELSEWHERE = [0, 2, 0, 1, 0];

const NAMES = (
  'Alba Amelie Anouk Aria Bianca Celine Clara Dahlia Daria Elena Elise Emilia Fiona Freya Gia Hana ' +
  'Helena Ines Iris Isabel Ivy Jade Juno Kaia Lana Layla Lea Lina Luca Lucia Mara Mateo Maya Mila Mira ' +
  'Nadia Naomi Nico Nina Noa Nora Olivia Petra Quinn Rafael Remy Robin Romy Rosa Ruby Sasha Selma ' +
  'Sienna Sofia Stella Talia Tessa Thea Valerie Vera Viola Willa Yara Zoe'
).split(' ');

const TITLES: Readonly<Record<Category, readonly string[]>> = {
  escort: [
    'Easy conversation, good company',
    'An evening worth dressing up for',
    'Calm, kind and on time',
    'Your plus-one in {city}',
    'Warm company after a long week',
    'Dinner, a show, and a good laugh',
    'New in {city} this season',
    'Unhurried time together',
    'Well-traveled and curious',
    'A quiet drink by the window',
  ],
  massage: [
    'Deep relaxation, certified hands',
    'Sixty minutes of nothing to do',
    'Hot-stone afternoon in {city}',
    'Back, neck and shoulders',
    'A quiet room and warm oil',
    'Slow massage, soft music',
    'Unwind after the desk',
    'Traditional and unhurried',
  ],
  companion: [
    'Museum afternoons and long walks',
    'A good listener for dinner',
    'Company for the opera in {city}',
    'Weekend trips with a smile',
    'Coffee, books, conversation',
    'Someone to explore {city} with',
  ],
  fetish: [
    'Curious, careful and discreet',
    'Clear words, clear limits',
    'A safe space for your ideas',
    'Patient with beginners',
  ],
};

const OPENINGS = [
  'I like people who take their time.',
  'Good manners matter to me, and so does a sense of humor.',
  'I moved here for the light and stayed for the people.',
  'By day I study; in the evening I enjoy meeting new people.',
  'I value honesty, punctuality and a fresh shirt.',
  'Friends call me a good listener.',
];
const MIDDLES = [
  'We could start with a drink somewhere quiet and see where the conversation goes.',
  'My place is central, tidy and easy to reach; I can also come to you.',
  'I plan one meeting a day, so that nobody has to watch the clock.',
  'I speak English and a little French.',
  'I know the good restaurants around {city} and the quiet bars nobody talks about.',
  'Tell me what you have in mind, and I will tell you honestly whether I am the right person.',
];
const CLOSINGS = [
  'Please write a few words about yourself first.',
  'A short call before we meet helps both of us.',
  'Respect and discretion go both ways.',
  'Please book a day ahead.',
  'No calls from hidden numbers, thank you.',
  'I answer within the day.',
];

const REVIEWERS = [
  'A. from downtown',
  'Quiet traveller',
  'M.',
  'Weekend guest',
  'J. R.',
  'First-timer',
  'Old friend',
  'Conference visitor',
  'S.',
  'Night owl',
];
const COMMENTS: readonly (readonly string[])[] = [
  ['Nice, but we had little time.', 'Friendly, though running late.'],
  ['A pleasant hour, easy to talk to.', 'Good communication, would book again.'],
  ['Lovely company and a real conversation.', 'Kind, punctual, exactly as described.'],
  ['One of the best evenings this year.', 'Perfect from the first message on.'],
];

const DAY_ms = 24 * 60 * 60_000;

/**
 * Returns the demo ads: 10 for each city, and more for some cities. Some categories are more frequent than
 * others, and each ad has 2 to 4 reviews. Every call returns the same ads. The additional ads come last, because demo
 * threads name their authors by the number of an ad.
 */
export function demoAds(): readonly DemoAd[] {
  const places = [...PLACES.flatMap((place) => repeat(place, DEMO_ADS_PER_CITY)), ...PLACES.flatMap(moreAdsIn)];
  const ads = places.map(({ state, city }, number) => demoAd(state, city, number));
  const covers = chooseCovers(ads);
  return ads.map((ad) => ({ ...ad, photos: photosFor(covers.get(ad) ?? 1, ad.photos.length) }));
}

function moreAdsIn(place: Place, number: number): readonly Place[] {
  return repeat(place, MORE_ADS[place.city] ?? MORE_ADS_ELSEWHERE[number % MORE_ADS_ELSEWHERE.length] ?? 0);
}

function repeat<T>(value: T, times: number): readonly T[] {
  return Array.from({ length: times }, () => value);
}

/**
 * Returns the generated ad with this number. Generated ads are for trials with many ads. Numbers start at 0 and have no
 * limit. The ads are distributed over all cities, and only a few ads have the same name. The same number always results
 * in the same ad.
 */
export function generatedAd(number: number): DemoAd {
  const { state, city } = PLACES[number % PLACES.length] as (typeof PLACES)[number];
  const ad = adWithoutReviews(
    state,
    city,
    FIRST_GENERATED_SEED + number,
    createRandom(FIRST_GENERATED_SEED + number + 1),
  );
  const name = generatedName(number);
  return {
    ...ad,
    email: generatedEmail(number),
    fields: { ...ad.fields, name, title: `${ad.fields.title} – ${name}` },
    reviews: [],
    isFeatured: false,
    isVerified: false,
    views: 0,
    age_ms: Math.floor(createRandom(FIRST_GENERATED_SEED + number)() * GENERATED_AGE_ms),
  };
}

/** Returns the e-mail address of the account that posts the generated ad with this number. */
export function generatedEmail(number: number): string {
  return `generated-${number + 1}@demo.alpenglow.example`;
}

interface Place {
  readonly state: string;
  readonly city: string;
}
const PLACES: readonly Place[] = STATES.flatMap(({ code, cities }) => cities.map((city) => ({ state: code, city })));
/** Lowest random seed of generated ads. Demo ads have lower seeds, so generated ads differ from them. */
const FIRST_GENERATED_SEED = 1_000_000;
/** Lowest random seed of the numbers of views. */
const FIRST_VIEWS_SEED = 2_000_000_000;
const GENERATED_AGE_ms = 365 * 24 * 60 * 60_000;
const SYLLABLES = 'ba be da do fe ga hi ja ka la le li lo ma me mi na ne no pa ra re ri ro sa se ta ti va zo'.split(
  ' ',
);

/** Returns one of 27,000 generated names. */
function generatedName(number: number): string {
  const random = createRandom(number);
  const name = Array.from({ length: 3 }, () => SYLLABLES[Math.floor(random() * SYLLABLES.length)]).join('');
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function demoAd(state: string, city: string, number: number): DemoAd {
  const random = createRandom(number + 1);
  const between = ({ min, max }: { readonly min: number; readonly max: number }) =>
    min + Math.floor(random() * (max - min + 1));
  const ad = adWithoutReviews(state, city, number, random);
  const reviews = Array.from({ length: between(DEMO_REVIEWS) }, () => {
    const rating = between(DEMO_RATINGS);
    return {
      name: pickOf(random, REVIEWERS),
      comment: pickOf(random, COMMENTS[rating - DEMO_RATINGS.min] ?? []),
      rating,
    };
  });
  const age_ms = Math.floor(random() ** 2 * 14 * DAY_ms) + 60_000;
  return {
    ...ad,
    reviews,
    age_ms,
    isFeatured: number % FEATURED_EVERY === 0,
    isVerified: number % VERIFIED_EVERY === 0,
    views: viewsAfter(age_ms, number),
  };
}

/** Returns a plausible number of views of an ad with this age, from 3 to about 900. */
function viewsAfter(age_ms: number, number: number): number {
  return 3 + Math.floor((age_ms / DAY_ms) * (8 + createRandom(FIRST_VIEWS_SEED + number)() * 56));
}

function pickOf<T>(random: () => number, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T;
}

function adWithoutReviews(
  state: string,
  city: string,
  number: number,
  random: () => number,
): Omit<DemoAd, 'reviews' | 'age_ms' | 'isFeatured' | 'isVerified' | 'views'> {
  const pick = <T>(from: readonly T[]): T => pickOf(random, from);
  const inCity = (text: string) => text.replaceAll('{city}', city);
  const category = categoryAt(random() * 100);
  const name = pick(NAMES);
  const age = 21 + Math.floor(random() * 24);
  const cover = 1 + Math.floor(random() * COVER_COUNT);
  const areaCode = AREA_CODES[Math.floor(number / 100) % AREA_CODES.length];
  const photos = photosFor(cover, 1 + Math.floor(random() * 3));
  return {
    email: `demo-${number + 1}@demo.alpenglow.example`,
    age,
    fields: {
      name,
      title: inCity(pick(TITLES[category])),
      category,
      state,
      city,
      description: [pick(OPENINGS), inCity(pick(MIDDLES)), pick(CLOSINGS)].join(' '),
      price: pick([null, '150 / h', '180 / h', '200 / h', '250 / h', 'on request']),
      body: pick([null, 'Slim, 168 cm', 'Athletic, 175 cm', 'Curvy, 165 cm', 'Tall, 181 cm']),
      // Phone numbers of the form 555-01xx are reserved for fiction, so they do not belong to a person.
      phone: `+1 ${areaCode} 555 01${String(number % 100).padStart(2, '0')}`,
      socialMedia: null,
    },
    photos,
  };
}

/** Area codes of the states of the product. */
const AREA_CODES = [702, 725, 775, 212, 646, 718, 310, 213, 415, 602, 480, 520, 305, 786, 407, 713, 512, 214, 312, 773];

function categoryAt(percent: number): Category {
  let upTo = 0;
  for (const category of CATEGORIES) {
    upTo += DEMO_WEIGHTS_percent[category];
    if (percent < upTo) return category;
  }
  return 'escort';
}

/**
 * Creates a generator of pseudorandom numbers from 0 to 1 (mulberry32). The same seed results in the same numbers, so
 * that the demo is the same on every machine.
 */
function createRandom(seed: number): () => number {
  let state = Math.imul(seed, 0x9e3779b1);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

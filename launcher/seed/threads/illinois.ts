import type { ThreadText } from './thread-text.ts';

export const ILLINOIS: readonly ThreadText[] = [
  {
    city: 'Chicago',
    author: 20,
    daysAgo: 13.3,
    title: 'Winter coats, boots and where to put them',
    body:
      'My hall is tiny. From December on, a single guest fills it with wool and salt. ' +
      'Hooks, bench, tray for boots: what have you installed?',
    replies: [
      {
        author: 8,
        hoursLater: 5,
        body: 'A tray with pebbles. The boots drip, the floor stays dry, and it looks intended.',
      },
      {
        author: 26,
        hoursLater: 8,
        helpfulBy: [20],
        body:
          'House shoes in a basket, new or washed. ' +
          'Everybody is happy to get out of their boots if there is something to get into.',
      },
    ],
  },
  {
    city: 'Chicago',
    author: 39,
    daysAgo: 1.9,
    title: 'First message from a nervous client',
    body:
      'I am on the other side: forty-four, newly alone, and I have been rewriting one message for three evenings. ' +
      'I have read [the article about it](/blog/the-first-message). ' +
      'Is it all right to say that I have never done this before?',
    replies: [
      {
        author: 35,
        hoursLater: 1,
        helpfulBy: [39, 10, 3, 21],
        body: 'It is more than all right, it is the friendliest thing you can say. It tells me to take my time.',
      },
      {
        author: 10,
        hoursLater: 2,
        body: 'Yes. One sentence about it, and then a day, a time and a place. The rest comes by itself.',
      },
      { author: 3, hoursLater: 3, body: 'Read it aloud once, delete every second adjective, send it.' },
      { author: 39, hoursLater: 9, quotes: 2, helpfulBy: [3], body: 'There were *many* adjectives. Sent.' },
      {
        author: 35,
        hoursLater: 1,
        quotes: 3,
        body: 'Good luck! Whatever the answer is, the hardest part is behind you.',
      },
      { author: 21, hoursLater: 4, body: 'We would all like to know how it goes, and none of us is going to ask.' },
      { author: 39, hoursLater: 8, quotes: 5, body: 'Coffee on Thursday. That is all I am going to say.' },
    ],
  },
  {
    city: 'Evanston',
    author: 27,
    daysAgo: 6.1,
    title: 'Lake walks as a first meeting',
    body:
      'A walk along the water, in daylight, with people around: ' +
      'I have done it four times this year, and it was pleasant each time, even when it was clear after ten minutes ' +
      'that we would leave it at that. A walk has no check and no closing time. Does anyone else do it?',
    replies: [
      {
        author: 36,
        hoursLater: 11,
        quotes: -1,
        body:
          'Yes, and I say beforehand that it is one round to the lighthouse and back. ' +
          'A fixed end makes it easier for both.',
      },
    ],
  },
];

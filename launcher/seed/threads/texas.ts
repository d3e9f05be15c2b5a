import type { ThreadText } from './thread-text.ts';

export const TEXAS: readonly ThreadText[] = [
  {
    city: 'Austin',
    author: 23,
    daysAgo: 8.6,
    title: 'Live music is lovely, talking is better',
    body:
      'Everybody suggests a place with a band. After ten minutes we shout at each other. ' +
      'Which *kind* of place do you suggest instead, without sounding like a grandmother?',
    replies: [
      {
        author: 11,
        hoursLater: 3,
        body: 'A garden. Half of the city has one behind the house, with string lights and no stage.',
      },
      {
        author: 30,
        hoursLater: 2,
        helpfulBy: [23, 16],
        body:
          'The band, but for the last two songs only. ' +
          'First an hour of conversation around the corner, then music as dessert. 🎶',
      },
      { author: 16, hoursLater: 8, quotes: 1, body: 'Music as dessert! I am going to use that.' },
      {
        author: 23,
        hoursLater: 26,
        body: 'Tried the garden on Saturday. We stayed until they switched off the lights.',
      },
    ],
  },
  {
    city: 'Houston',
    author: 34,
    daysAgo: 11.7,
    title: 'Guests who want to change the plan at the door',
    body:
      'Agreed was dinner. At the door it becomes “let us stay in.” I have nothing against changing plans, ' +
      'only against being asked when I already have my coat on. What do you say?',
    replies: [
      {
        author: 19,
        hoursLater: 1,
        helpfulBy: [34, 22, 7],
        body:
          '“Let us do what we have agreed on. For next time you can suggest something else.” ' +
          'Then I go ahead toward the street.',
      },
      {
        author: 7,
        hoursLater: 4,
        body:
          'The piece about [asking questions and saying no](/blog/asking-questions-and-saying-no) has a few ' +
          'sentences for it. I practiced two of them in front of the mirror and felt silly. They worked.',
      },
      { author: 34, hoursLater: 9, quotes: 1, body: 'I am already in front of the mirror.' },
      {
        author: 22,
        hoursLater: 13,
        body:
          'It also helps to fix the reservation in your own name, with a time. ' +
          '“They are waiting for us” is a good reason to leave the house.',
      },
    ],
  },
  {
    city: 'Dallas',
    author: 32,
    daysAgo: 2.4,
    title: 'Separate phone: second device or second line?',
    body:
      'I have carried two telephones for years, and my handbag is tired of it. ' +
      'Is a second line on the same device private enough for you?',
    replies: [
      {
        author: 2,
        hoursLater: 2,
        body:
          'For me, yes, with two profiles that do not see each other’s contacts. ' +
          'The setting took me an evening to find.',
      },
      {
        author: 29,
        hoursLater: 3,
        helpfulBy: [32],
        body:
          'I stay with two. When I am off duty, one of them lies in a drawer, ' +
          'and that is worth more to me than the space in my bag.',
      },
      { author: 37, hoursLater: 5, quotes: 1, body: 'That is the best argument for it I have read.' },
    ],
  },
];

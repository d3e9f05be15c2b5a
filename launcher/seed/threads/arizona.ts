import type { ThreadText } from './thread-text.ts';

export const ARIZONA: readonly ThreadText[] = [
  {
    city: 'Phoenix',
    author: 14,
    daysAgo: 9.3,
    title: 'Meeting outdoors in summer, yes or no?',
    body:
      'I like a walk as a beginning. From May on that means seven in the morning, ' +
      'and hardly anybody is awake. What do you do instead?',
    replies: [
      {
        author: 32,
        hoursLater: 4,
        helpfulBy: [14],
        body:
          'Museums and libraries. Cool, quiet, free to leave at any time, ' +
          'and there is something to talk about on every wall.',
      },
      { author: 3, hoursLater: 7, body: 'I keep the walk and move it to after sunset. Bring water for two.' },
      {
        author: 14,
        hoursLater: 18,
        quotes: 0,
        body: 'The library had not occurred to me. Although one has to whisper.',
      },
      { author: 32, hoursLater: 1, quotes: 2, body: 'That is half of the charm. 🙂' },
    ],
  },
  {
    city: 'Phoenix',
    author: 36,
    daysAgo: 4.2,
    title: 'What do you tell your safety contact, and what not?',
    body:
      'My sister is my contact. She wants to know everything, ' +
      'I want to tell her as little as possible about guests. Where do you draw the line?',
    replies: [
      {
        author: 20,
        hoursLater: 3,
        helpfulBy: [36, 11, 0],
        body:
          'Place, time, the phrase that means *all is well*, and what she is to do if it does not come. ' +
          'Everything else is in a sealed envelope, which she opens only in that case. She has never had to.',
      },
      {
        author: 11,
        hoursLater: 5,
        body:
          'I trade with a colleague instead of family. ' +
          'She does not worry more than needed, and I do the same for her.',
      },
      { author: 36, hoursLater: 10, quotes: 0, body: 'An envelope! It is so simple. We are going to do that.' },
    ],
  },
  {
    city: 'Scottsdale',
    author: 21,
    daysAgo: 17.6,
    title: 'Punctual, but how exactly?',
    body:
      'If someone is expected at eight: do you want them at the door at eight, in the lobby at eight, ' +
      'or in the parking lot at ten to eight with a message? Asking as a guest who is always too early.',
    replies: [
      { author: 5, hoursLater: 2, helpfulBy: [21, 27], body: 'At the door at eight. *Not* at seven fifty-two.' },
      { author: 27, hoursLater: 5, body: 'A message at ten to is nice, as long as it does not expect an answer.' },
      { author: 39, hoursLater: 9, body: 'As an early person: I take a book along. It turns waiting into reading.' },
    ],
  },
  {
    city: 'Flagstaff',
    author: 35,
    daysAgo: 7.9,
    title: 'Altitude, wine and dinner guests',
    body:
      'Friendly warning to everybody who comes up from the valley: one glass here is two glasses down there. ' +
      'I have started to put a jug of water on the table first.',
    replies: [
      {
        author: 12,
        hoursLater: 15,
        helpfulBy: [35],
        body: 'And a blanket. Visitors pack for the desert and then sit in the pines at fifty degrees.',
      },
    ],
  },
];

import type { ThreadText } from './thread-text.ts';

export const NEW_YORK: readonly ThreadText[] = [
  {
    city: 'New York City',
    author: 2,
    daysAgo: 19.1,
    isPinned: true,
    title: 'Start here: what this board is for',
    body:
      'For everything *around* a meeting: places to talk, getting home, hotels, weather, paperwork, nerves. ' +
      'Not for arranging meetings, not for reviews, not for gossip. ' +
      'If a thread of yours disappears, you will be told why, and you may object.',
    replies: [
      { author: 17, hoursLater: 9, helpfulBy: [2], body: 'Thank you. “Not for gossip” alone is worth joining for.' },
    ],
  },
  {
    city: 'New York City',
    author: 10,
    daysAgo: 7.5,
    title: 'Visitors’ rules in hotels: ask or just walk in?',
    body:
      'With a guest I always ask at the desk. As a visitor I never know. ' +
      'What do you do when the elevator wants a key and nobody answers the phone upstairs?',
    replies: [
      {
        author: 22,
        hoursLater: 1,
        helpfulBy: [10, 6],
        body:
          'I never go up on my own. We meet in the lobby, and if there is no one, ' +
          'I have a coffee and leave after fifteen minutes.',
      },
      {
        author: 31,
        hoursLater: 2,
        body: 'Asking is fine: “I am expected, where may I wait?” No one at the desk has ever wanted to know more.',
      },
      {
        author: 6,
        hoursLater: 5,
        quotes: 1,
        body:
          'Depends on the house. I was asked for a document once. ' +
          'I said that I would rather wait outside, and that was fine as well.',
      },
      {
        author: 10,
        hoursLater: 8,
        quotes: 0,
        body: 'The fifteen minutes are a good rule. I tend to wait for much too long.',
      },
      {
        author: 28,
        hoursLater: 16,
        body: 'Have the guest ask when checking in. It is one sentence, and it saves three people an awkward moment.',
      },
    ],
  },
  {
    city: 'New York City',
    author: 29,
    daysAgo: 3.9,
    title: 'Writing to guests who read from right to left',
    body:
      'A visitor wrote to me in Hebrew, and I answered with the help of a dictionary. ' +
      'Does anybody here speak it, and would you tell me whether my opening sentence sounds polite?',
    replies: [
      {
        author: 13,
        hoursLater: 4,
        helpfulBy: [29, 2, 17],
        body:
          'It does, only a little formal. I would write it like this:\n\n' +
          'שלום, ותודה על ההודעה. אשמח להיפגש לקפה במקום שקט, ולדבר קצת לפני שמחליטים. איזה יום נוח לך?\n\n' +
          'In English: “Hello, and thank you for your message. I would be glad to meet for a coffee somewhere quiet, ' +
          'and to talk a little before deciding. Which day suits you?”',
      },
      {
        author: 29,
        hoursLater: 2,
        quotes: 0,
        body: 'How kind of you. “To talk a little before deciding” is exactly what I was trying to say.',
      },
      {
        author: 34,
        hoursLater: 11,
        body:
          'And if you ever need it in Arabic, the same idea:\n\n' +
          'مرحباً، وشكراً على رسالتك. يسعدني أن نلتقي لشرب القهوة في مكان هادئ.',
      },
    ],
  },
  {
    city: 'New York City',
    author: 19,
    daysAgo: 1.6,
    title: 'Late trains and the way home',
    body:
      'After midnight my line is rerouted two nights out of three. ' +
      'Do you plan for a car every time, or is there a trick?',
    replies: [
      {
        author: 0,
        hoursLater: 3,
        body: 'I look up the way home *before* I say yes to a time. If it is bad, I suggest an hour earlier.',
      },
      {
        author: 38,
        hoursLater: 4,
        helpfulBy: [19],
        body:
          'A car, and I count it as part of the evening. ' +
          'Standing on a platform at one in the morning is not where I want to save.',
      },
    ],
  },
  {
    city: 'Buffalo',
    author: 8,
    daysAgo: 14.2,
    title: 'Snow days',
    body:
      'How do you deal with dates in January? Last year I had to cancel five times and felt bad each time, ' +
      'although nobody could have driven.',
    replies: [
      {
        author: 26,
        hoursLater: 6,
        helpfulBy: [8, 23],
        body:
          'I agree on a second date when we make the first. If it snows, the second one holds. ' +
          'No one has to apologize for the weather.',
      },
      {
        author: 23,
        hoursLater: 12,
        body:
          'People who live here understand. ' +
          'For those from elsewhere, a photo of the driveway explains everything. ❄️',
      },
    ],
  },
  {
    city: 'Ithaca',
    author: 30,
    daysAgo: 6.8,
    title: 'A small town, and everybody knows everybody',
    body:
      'I would like to meet people for dinner without being the talk of the farmers’ market. ' +
      'Do you go to the next town for it?',
    replies: [],
  },
];

import type { ThreadText } from './thread-text.ts';

export const FLORIDA: readonly ThreadText[] = [
  {
    city: 'Miami',
    author: 17,
    daysAgo: 12.9,
    isPinned: true,
    title: 'Welcome, and please read this before you post',
    body:
      'Here people who live and work in Miami help each other and visitors with everyday questions. ' +
      'English, Spanish, whatever you like, as long as it is friendly. Please\n\n' +
      '1. look whether the question has been asked,\n2. write a title that says what it is about,\n' +
      '3. mark answers that helped you as helpful.\n\nThe third costs a second and makes someone’s day.',
    replies: [
      { author: 6, hoursLater: 5, body: '¡Gracias! Qué bueno que se puede escribir también en español.' },
      { author: 33, hoursLater: 22, helpfulBy: [17], body: 'Number two, please. “Question” is not a title.' },
    ],
  },
  {
    city: 'Miami',
    author: 38,
    daysAgo: 5.1,
    title: 'Traveling between cities: how do you plan a tour?',
    body:
      'I would like to spend a week each in three cities this fall. ' +
      'How far ahead do you announce it, and how do you choose where to stay?',
    replies: [
      {
        author: 4,
        hoursLater: 2,
        helpfulBy: [38, 25],
        body:
          'Four weeks ahead for the dates, one week for the part of town, never the hotel. ' +
          'I change the city of my ad on the day I travel.',
      },
      {
        author: 25,
        hoursLater: 3,
        body:
          'Look up the rules of each place before you book. They are not the same in every state, ' +
          'and not even in neighboring cities.',
      },
      {
        author: 18,
        hoursLater: 6,
        body:
          'Leave an empty day in between. The first tour I planned had none, ' +
          'and by the second city I had no voice left.',
      },
      {
        author: 38,
        hoursLater: 12,
        quotes: 2,
        body: 'Noted! I had planned to travel in the morning and meet people in the evening. 🙈',
      },
      { author: 4, hoursLater: 4, quotes: 3, body: 'Everybody does it once.' },
      {
        author: 9,
        hoursLater: 20,
        body:
          'Ask in the board of the city you are going to. ' +
          'People there know which streets are noisy and which hotels are under construction.',
      },
    ],
  },
  {
    city: 'Orlando',
    author: 28,
    daysAgo: 10.8,
    title: 'Conference weeks',
    body:
      'When there is a large conference, half of the messages come in between sessions and want an answer ' +
      'within minutes. Do you play along?',
    replies: [
      {
        author: 15,
        hoursLater: 6,
        helpfulBy: [28],
        body:
          'I write one friendly text for the whole week with my free times, ' +
          'and send it to everybody who asks politely.',
      },
      { author: 1, hoursLater: 9, body: 'No. Those who mean it write again in the evening.' },
    ],
  },
  {
    city: 'Key West',
    author: 13,
    daysAgo: 3.1,
    title: 'Storm season and canceled plans',
    body:
      'A date was canceled because of a storm warning, and the guest wanted to come anyway. ' +
      'I said no and feel that I was right. How do you put it without sounding like a weather report?',
    replies: [
      {
        author: 24,
        hoursLater: 4,
        helpfulBy: [13, 31],
        body: '“I would love to meet you when the road is safe.” Nobody can argue with a road.',
      },
      {
        author: 31,
        hoursLater: 7,
        body: 'You were right. And anybody who insists has told you something about the rest of the evening.',
      },
    ],
  },
];

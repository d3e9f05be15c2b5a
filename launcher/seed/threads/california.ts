import type { ThreadText } from './thread-text.ts';

export const CALIFORNIA: readonly ThreadText[] = [
  {
    city: 'Los Angeles',
    author: 1,
    daysAgo: 18.8,
    isPinned: true,
    title: 'House rules for the Los Angeles board',
    body:
      'Short and simple: be kind, stay general, leave people’s private lives alone. ' +
      'Whoever asks for recommendations gets *kinds* of places rather than names, because places change. ' +
      'Prices are not discussed here, and neither are clients. ' +
      'Help lines for anybody who needs them are under [About](/about).',
    replies: [
      {
        author: 20,
        hoursLater: 6,
        body: 'Could we add that photos of other people do not belong here, not even from behind?',
      },
      {
        author: 1,
        hoursLater: 1,
        quotes: 0,
        helpfulBy: [20, 9],
        body: 'Agreed, and consider it added: no pictures of anyone but yourself, anywhere on the site.',
      },
    ],
  },
  {
    city: 'Los Angeles',
    author: 12,
    daysAgo: 6.3,
    title: 'How long do you take to answer?',
    body:
      'I answer once a day, in the evening, all in one go. ' +
      'A friend says I lose half of the requests like that. What is your rhythm?',
    replies: [
      {
        author: 28,
        hoursLater: 1,
        body:
          'Noon and seven. I say so in my ad, and the impatient ones write to someone else, ' +
          'which suits everybody.',
      },
      {
        author: 34,
        hoursLater: 2,
        helpfulBy: [12, 28],
        body: 'Speed brings quantity. If quantity is not what you want, stay with your evening.',
      },
      {
        author: 8,
        hoursLater: 3,
        quotes: 1,
        body:
          'That is true, but silence for a whole day makes *me* nervous as a guest. ' +
          'A one-line “I will reply tonight” helps.',
      },
      { author: 12, hoursLater: 15, quotes: 2, body: 'Fair. I will set up such a line.' },
      {
        author: 2,
        hoursLater: 4,
        body: 'Whatever you choose, keep to it. People adapt to any rhythm except a random one.',
      },
    ],
  },
  {
    city: 'Los Angeles',
    author: 25,
    daysAgo: 10.4,
    title: 'Parking near hotels without losing an evening',
    body: 'Valet is convenient and makes me feel watched, street parking is a lottery. How do you do it?',
    replies: [
      {
        author: 30,
        hoursLater: 3,
        helpfulBy: [25],
        body:
          'A public structure one or two blocks away, and a short walk. ' +
          'I take a picture of the level and the sign.',
      },
      {
        author: 11,
        hoursLater: 5,
        body:
          'Read the sign from top to bottom. Then read it again. ' +
          'Then look whether there is a second sign behind the tree.',
      },
      { author: 25, hoursLater: 2, quotes: 1, body: 'The tree! That was exactly my ticket last month. 😅' },
      {
        author: 16,
        hoursLater: 30,
        body: 'Since I take the train downtown and a car home, I have stopped thinking about it.',
      },
    ],
  },
  {
    city: 'Los Angeles',
    author: 3,
    daysAgo: 0.8,
    title: 'Portrait photographers who understand discretion',
    body:
      'I would like new photos: daylight, no face, nothing daring, more like a calm portrait from the side. ' +
      'What do you ask a photographer before you book?',
    replies: [
      {
        author: 36,
        hoursLater: 2,
        helpfulBy: [3, 14],
        body:
          'Three things, in writing: who owns the files, that they will not be shown anywhere, ' +
          'and that the originals are deleted after a fixed time.',
      },
      {
        author: 14,
        hoursLater: 1,
        body:
          'Someone who does landscapes and old houses worked well for me. ' +
          'She cared about the light and about nothing else.',
      },
      {
        author: 3,
        hoursLater: 5,
        quotes: 0,
        body:
          'Thank you, I had not thought of the originals. The site removes the location from what I upload, ' +
          'but of course not from what stays on someone’s disk.',
      },
    ],
  },
  {
    city: 'San Diego',
    author: 9,
    daysAgo: 13.7,
    title: 'No-shows: what actually helps?',
    body:
      'Two in one week. I do not want to ask for a deposit, ' +
      'since I would not pay one to a stranger myself. What has worked for you?',
    replies: [
      {
        author: 21,
        hoursLater: 2,
        helpfulBy: [9, 4, 30],
        body:
          'A confirmation on the same day. *No answer by two o’clock, ' +
          'no meeting.* I say it when we fix the date, so it is nobody’s surprise.',
      },
      {
        author: 4,
        hoursLater: 3,
        body: 'A call of two minutes beforehand. People find it harder to stand up a voice than a message.',
      },
      {
        author: 32,
        hoursLater: 6,
        body:
          'I make no second date with anybody who has not come and not written. ' +
          'No anger, no lecture, simply no second date.',
      },
      {
        author: 9,
        hoursLater: 10,
        quotes: 0,
        helpfulBy: [21],
        body:
          'I have started with the two o’clock rule. ' +
          'One person dropped out at once, which is better than at eight.',
      },
      { author: 21, hoursLater: 24, quotes: 3, body: 'Exactly. That evening you would have spent waiting.' },
    ],
  },
  {
    city: 'San Diego',
    author: 33,
    daysAgo: 4.9,
    title: 'Gray mornings at the beach',
    body: 'Visitors expect sun at nine and are disappointed. When do you suggest to meet for a walk in early summer?',
    replies: [
      {
        author: 19,
        hoursLater: 8,
        body: 'After lunch. Or in the gray, with a sweater: it is quiet, and the light is soft and flattering.',
      },
    ],
  },
  {
    city: 'San Francisco',
    author: 15,
    daysAgo: 11.1,
    title: 'Tax records: how do you keep yours?',
    body:
      'Not asking for advice on what to declare, that is between me and a professional. ' +
      'I only wonder how you keep order: notebook, spreadsheet, shoebox?',
    replies: [
      {
        author: 27,
        hoursLater: 4,
        helpfulBy: [15, 35, 2],
        body:
          'A spreadsheet with four columns: date, amount, what for, receipt yes or no. ' +
          '**No names of guests in it, ever.** Every Sunday, ten minutes.',
      },
      {
        author: 35,
        hoursLater: 7,
        body:
          'Shoebox during the month, photos of the receipts on the last day. ' +
          'And a professional once a year, who has heard it all before.',
      },
      {
        author: 0,
        hoursLater: 12,
        quotes: 0,
        body: 'The Sunday habit saved me. Before that, each spring was a small drama.',
      },
      { author: 15, hoursLater: 3, body: 'Spreadsheet, then. I have put the ten minutes into my calendar.' },
    ],
  },
  {
    city: 'San Francisco',
    author: 26,
    daysAgo: 2.1,
    title: 'Which neighborhoods are easiest to reach without a car?',
    body:
      'I visit for three days at a time and never drive here. Where would you take a room, ' +
      'if guests should reach you by train and the street should still be quiet at night?',
    replies: [
      {
        author: 5,
        hoursLater: 3,
        body:
          'Two or three blocks off the main line, on the flat side. ' +
          'Hills look lovely until someone arrives out of breath.',
      },
      {
        author: 38,
        hoursLater: 9,
        helpfulBy: [26],
        body:
          'Look at the map at night: where there are restaurants but no clubs, ' +
          'you have light and people until eleven, and calm after that.',
      },
    ],
  },
  {
    city: 'Palm Springs',
    author: 37,
    daysAgo: 16.4,
    title: 'Low season: stay or travel?',
    body: 'In August the town is empty. Some of you go to the coast for two months. Is it worth the rent?',
    replies: [
      {
        author: 7,
        hoursLater: 20,
        body:
          'I share a place with a colleague, two weeks each. ' +
          'It pays for itself, and there is always someone who knows where I am.',
      },
      { author: 23, hoursLater: 10, body: 'I stay, sleep a lot, and rewrite my ad. September is better for it.' },
    ],
  },
];

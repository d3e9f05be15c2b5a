import type { ThreadText } from './thread-text.ts';

export const NEVADA: readonly ThreadText[] = [
  {
    city: 'Las Vegas',
    author: 0,
    daysAgo: 19.5,
    isPinned: true,
    title: 'Welcome to Las Vegas: how we talk here',
    body:
      'Good to have you here. Four rules, and then it is all yours:\n\n- Adults only, and nothing explicit.\n' +
      '- No names, numbers or addresses, neither your own nor anybody else’s.\n' +
      '- Disagree with what someone says, not with the person.\n' +
      '- Worried about someone? Do not discuss it here, **report it**.\n\n' +
      'New to all this? [Meeting someone new, ' +
      'calmly and safely](/blog/meeting-safely-for-providers) is a good place to start.',
    replies: [
      {
        author: 4,
        hoursLater: 3,
        helpfulBy: [0, 7],
        body: 'Thank you for writing this down. The third rule is the one most places forget.',
      },
      { author: 11, hoursLater: 20, body: 'Just arrived from the coast and glad to find a corner without shouting.' },
      { author: 0, hoursLater: 2, quotes: 1, body: 'Welcome! Ask whatever you like, the regulars here are patient.' },
    ],
  },
  {
    city: 'Las Vegas',
    author: 7,
    daysAgo: 12.2,
    title: 'Quiet cafés for a first coffee?',
    body:
      'I am looking for somewhere to sit down with a person I have never met, in the late morning. ' +
      'It should be *quiet enough to talk*, with parking, and away from the big hotels. ' +
      'No names of businesses needed: which part of town would you try first?',
    replies: [
      {
        author: 3,
        hoursLater: 1.5,
        helpfulBy: [7, 12, 20],
        body:
          'The western side. Neighborhood centers there have cafés with a terrace, ' +
          'and before noon you will have it almost to yourself.',
      },
      { author: 15, hoursLater: 4, body: 'South of the airport road it is calm, too, and the parking lots are large.' },
      {
        author: 7,
        hoursLater: 9,
        quotes: 0,
        body: 'West it is. I drove past this morning, and there were exactly two people with laptops.',
      },
    ],
  },
  {
    city: 'Las Vegas',
    author: 22,
    daysAgo: 3.4,
    title: 'Quiet cafés for a first coffee?',
    body:
      'Same question as someone asked last week, only for the evening: ' +
      'what stays open after six, and does not turn into a bar with a DJ at eight?',
    replies: [
      {
        author: 9,
        hoursLater: 2,
        helpfulBy: [22],
        body:
          'Bookish places near the arts district keep longer hours on weekends. ' +
          'Look at the hours of the day you mean, they vary.',
      },
      {
        author: 18,
        hoursLater: 6.5,
        body:
          'Lobbies of the hotels without a casino. ' +
          'They serve coffee until late, and nobody minds if you stay an hour.',
      },
    ],
  },
  {
    city: 'Las Vegas',
    author: 5,
    daysAgo: 8.1,
    title: 'Room keys and elevators: how do you handle it?',
    body:
      'More and more towers want a key in the elevator at night. I used to text from the lobby and wait. ' +
      'Now I ask guests to be downstairs five minutes early, and two of them were offended. How do you word it?',
    replies: [
      {
        author: 13,
        hoursLater: 2,
        helpfulBy: [5, 1, 8],
        body:
          'I put it in the confirmation: “The elevators need a key after dark, so let us meet at the entrance of ' +
          'your tower.” As a fact, it offends nobody.',
      },
      {
        author: 1,
        hoursLater: 1,
        body: 'Ask which tower. There are often three, and they have entrances on different streets.',
      },
      {
        author: 27,
        hoursLater: 11,
        quotes: 0,
        body: 'Same here. I add a landmark, such as the fountain or the flower shop, since “lobby” can mean anything.',
      },
      {
        author: 5,
        hoursLater: 3,
        quotes: 0,
        helpfulBy: [13],
        body: 'Stolen, with thanks. Tried it yesterday, and he was there before me.',
      },
    ],
  },
  {
    city: 'Las Vegas',
    author: 31,
    daysAgo: 1.2,
    title: 'One small thing that made a meeting better',
    body:
      'A game for a slow afternoon: name **one small thing** a guest or a host did that made all the difference. ' +
      'I begin: someone asked at the door, “Would you like a minute to arrive?” and then really gave me one.',
    replies: [
      { author: 2, hoursLater: 0.2, body: 'Two glasses of water on the table before anybody asked.' },
      { author: 6, hoursLater: 0.3, body: 'He had read my ad so well that he brought the tea I mention in it. 🍵' },
      {
        author: 14,
        hoursLater: 0.2,
        helpfulBy: [31, 2],
        body:
          'A message on the morning of the day: “Looking forward to it. ' +
          'Still fine for you?” The second half is what counts.',
      },
      {
        author: 19,
        hoursLater: 0.5,
        body: 'An umbrella, opened over me and not over himself. In *this* city, in the one hour of rain of the year.',
      },
      { author: 8, hoursLater: 0.1, quotes: 3, body: 'I remember that hour.' },
      { author: 23, hoursLater: 0.7, body: 'Someone put the phone into a drawer, without a word, and left it there.' },
      { author: 10, hoursLater: 0.4, body: 'She asked how my name is pronounced.' },
      { author: 35, hoursLater: 0.3, quotes: 6, body: 'That one is so simple, and so rare.' },
      {
        author: 17,
        hoursLater: 0.6,
        body:
          'A guest who said at the beginning, “If anything is not right, tell me, I will not be hurt.” I did not ' +
          'need to, but it was good to know.',
      },
      { author: 12, hoursLater: 0.8, body: 'He canceled because of a cold instead of coming with one.' },
      {
        author: 26,
        hoursLater: 0.2,
        helpfulBy: [12, 31, 17],
        body: 'Leaving five minutes before the end, so that nobody had to mention the time.',
      },
      { author: 4, hoursLater: 0.5, body: 'Slippers in three sizes at the door.' },
      {
        author: 29,
        hoursLater: 0.3,
        body: 'The question “Is the music all right?” after the first song, and not after the tenth.',
      },
      { author: 33, hoursLater: 0.6, body: 'An honest “I am nervous.” So was I.' },
      { author: 16, hoursLater: 0.2, quotes: 13, body: 'Best opening line there is.' },
      { author: 21, hoursLater: 0.9, body: 'A note with the Wi-Fi password and the words “make yourself at home.”' },
      { author: 38, hoursLater: 0.4, body: 'Someone remembered, after half a year, that I do not eat nuts.' },
      {
        author: 3,
        hoursLater: 0.3,
        body: 'The blinds were already down on the sunny side. At four in the afternoon, in July.',
      },
      { author: 30, hoursLater: 0.7, body: 'He walked me to the elevator, said good night, and did not come along.' },
      { author: 24, hoursLater: 0.2, body: 'Not asking for my real name. Not even as a joke.' },
      { author: 31, hoursLater: 0.5, quotes: 19, body: 'Yes. It is noticed every single time it does not happen.' },
      { author: 37, hoursLater: 0.4, body: 'Warm towels. I have nothing to add.' },
      {
        author: 20,
        hoursLater: 0.6,
        body: 'A host who wrote exact directions from the parking structure, with “left at the blue door.”',
      },
      {
        author: 28,
        hoursLater: 0.3,
        body: 'Being told, “Take your time with the answer.” I did, and the answer was yes.',
      },
      { author: 1, hoursLater: 0.8, body: 'Fresh sheets that one could *see* were fresh.' },
      {
        author: 34,
        hoursLater: 0.2,
        body: 'A review that said only: “Kind, and on time.” I could not have asked for more.',
      },
      {
        author: 9,
        hoursLater: 0.4,
        body: 'When I said no to something, the reply was “of course,” and the conversation went on as before.',
      },
      {
        author: 32,
        hoursLater: 0.3,
        quotes: 26,
        helpfulBy: [9, 24, 31, 5],
        body: 'This should be at the top of the whole list.',
      },
      { author: 25, hoursLater: 0.5, body: 'A dog that had been walked beforehand.' },
      {
        author: 31,
        hoursLater: 0.6,
        helpfulBy: [2, 6],
        body: 'Nearly thirty answers, and hardly one of them costs anything. Thank you all.',
      },
    ],
  },
  {
    city: 'Las Vegas',
    author: 16,
    daysAgo: 5.6,
    title: 'What to wear when it is 110 outside and 65 inside',
    body: 'Every summer the same: either I melt on the way or I freeze at the table. What do you carry?',
    replies: [
      { author: 10, hoursLater: 5, body: 'A thin wool scarf. It weighs nothing and looks as if it had been planned.' },
      {
        author: 36,
        hoursLater: 2,
        body:
          'Linen jacket over the arm on the way, on the shoulders indoors. ' +
          'And flat shoes for the bridges, others in the bag.',
      },
    ],
  },
  {
    city: 'Henderson',
    author: 18,
    daysAgo: 9.9,
    title: 'Is Henderson too far out for visitors from the Strip?',
    body:
      'I am thinking of moving to something calmer with a garden. Those of you who live out here: ' +
      'do guests still come, or does everybody want to be met in the center?',
    replies: [
      {
        author: 29,
        hoursLater: 7,
        helpfulBy: [18],
        body:
          'They come, if you say how long the ride takes. I write “twenty-five minutes, and there is a parking ' +
          'space.” It is the parking space that convinces them.',
      },
      {
        author: 6,
        hoursLater: 14,
        body: 'You will have fewer spontaneous messages and more people who plan. I would not want to go back.',
      },
    ],
  },
  {
    city: 'Reno',
    author: 24,
    daysAgo: 15.3,
    title: 'Driving up from California in winter',
    body:
      'I visit once a month and the pass worries me. ' +
      'Do you keep a day in reserve, or cancel when snow is announced?',
    replies: [
      {
        author: 37,
        hoursLater: 4,
        helpfulBy: [24, 33],
        body: 'Both. From November to April my ad says that the date depends on the road. Nobody has ever complained.',
      },
      {
        author: 33,
        hoursLater: 8,
        body:
          'Chains, blanket, full tank, and a charger that works in the car. ' +
          'And tell someone when you start and when you have arrived.',
      },
      {
        author: 24,
        hoursLater: 20,
        quotes: 1,
        body: 'The last point I had never thought of for the drive itself. Will do.',
      },
    ],
  },
  {
    city: 'Reno',
    author: 39,
    daysAgo: 2.7,
    title: 'Anyone for a regular check-in group?',
    body:
      'Three or four of us could watch over each other: a message on arrival, one on leaving, ' +
      'a fixed phrase that means *all is well*. I would not exchange anything but first names. ' +
      'Who has experience with it, and what should one settle beforehand?',
    replies: [],
  },
];

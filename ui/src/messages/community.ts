/** Texts of the first screens of community and blog. */
export const communityMessages = {
  community: 'Community',
  communityLead: 'A place to ask, to warn and to recommend, city by city.',
  notYet: 'Not open yet',
  notYetText: 'There are no posts here so far. When the community opens, each of these places has its own page, and everybody who is 18 or older can read along.',
  whatTitle: 'What it will be',
  what: ['Threads by place, so that what you read is about where you are', 'Replies by people with a confirmed e-mail address', 'A report button on every post, answered by a person'],
  locations: 'Places',
  locationsLead: '{cities} cities in {states} states.',
  communityIn: 'Community in {place}',
  adsIn: 'Ads in {place}',
  allPlaces: 'All places',
  postUnknown: 'This post does not exist',
  blog: 'Blog',
  blogIn: 'Blog: {place}',
  blogLead: 'Guides to cities, and notes on staying safe and well.',
  blogNotYetText: 'Nothing has been published yet. What is written will be written by people, and dated.',
} as const;

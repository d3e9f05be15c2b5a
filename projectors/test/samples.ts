import type { DomainEvent, DomainEventType } from '@alpenglow/domain';

const ad = { accountId: 'anna', adId: 'ad-1' };
const account = { accountId: 'anna' };
const media = { mediaId: 'm1', ownerId: 'anna' };
const code = { ...account, issuanceId: 'i1' };
const expiresAt = '2026-01-01T12:15:00.000Z';
const person = { email: 'a@example.com', passwordHash: 'secret', userType: 'provider', displayName: 'Anna', age: 30 } as const;

/** One event of every type, all about the same account, ad and photo. A new type without a sample does not compile. */
export const SAMPLES: { readonly [Type in DomainEventType]: Extract<DomainEvent, { readonly type: Type }> } = {
  AccountRegistered: { type: 'AccountRegistered', data: { ...account, ...person, isDemo: false } },
  EmailVerificationIssued: { type: 'EmailVerificationIssued', data: { ...code, expiresAt } },
  EmailVerificationFailed: { type: 'EmailVerificationFailed', data: code },
  EmailVerified: { type: 'EmailVerified', data: account },
  EmailVerificationCleared: { type: 'EmailVerificationCleared', data: code },
  SignUpRepeated: { type: 'SignUpRepeated', data: { accountId: 'anna-again', ofAccountId: 'anna', issuanceId: 'i2', expiresAt, ...person } },
  ProfileUpdated: { type: 'ProfileUpdated', data: { ...account, displayName: 'Annabel', age: 31 } },
  PasswordChanged: { type: 'PasswordChanged', data: { ...account, passwordHash: 'another secret' } },
  PasswordResetIssued: { type: 'PasswordResetIssued', data: { ...account, issuanceId: 'i3', expiresAt } },
  PasswordResetFailed: { type: 'PasswordResetFailed', data: { ...account, issuanceId: 'i3' } },
  AccountVerifiedByAdmin: { type: 'AccountVerifiedByAdmin', data: account },
  AccountClosed: { type: 'AccountClosed', data: account },
  AdFavorited: { type: 'AdFavorited', data: ad },
  AdUnfavorited: { type: 'AdUnfavorited', data: ad },
  AdPosted: {
    type: 'AdPosted',
    data: {
      ...ad,
      clientId: null,
      name: 'Anna',
      title: 'Good company',
      category: 'escort',
      state: 'FL',
      city: 'St. Petersburg',
      description: 'Calm.',
      price: null,
      body: null,
      phone: '+1 555 0100',
      socialMedia: null,
      photos: ['m1'],
      video: 'm2',
      isDemo: false,
    },
  },
  AdUpdated: { type: 'AdUpdated', data: { ...ad, title: 'New', city: 'Miami', description: 'Calmer.', phone: null } },
  AdBumped: { type: 'AdBumped', data: ad },
  AdReviewed: { type: 'AdReviewed', data: { ...ad, reviewerId: null, reviewId: 'r1', name: 'Ben', comment: 'Kind.', rating: 4 } },
  AdFeatured: { type: 'AdFeatured', data: { ...ad, isFeatured: true } },
  AdDeleted: { type: 'AdDeleted', data: ad },
  MediaUploaded: { type: 'MediaUploaded', data: { ...media, kind: 'photo', sizeBytes: 1, contentType: 'image/jpeg' } },
  PhotoVariantsMade: { type: 'PhotoVariantsMade', data: { ...media, width: 10, height: 20, blur: 'data:', variants: [] } },
  VideoProbed: { type: 'VideoProbed', data: { ...media, duration_s: 12, width: 10, height: 20, codec: 'h264', contentType: 'video/mp4', sizeBytes: 1 } },
  MediaRejected: { type: 'MediaRejected', data: { ...media, code: 'NOT_AN_IMAGE', reason: 'no' } },
  MediaRemoved: { type: 'MediaRemoved', data: media },
};

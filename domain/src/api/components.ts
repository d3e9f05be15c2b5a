import type * as z from 'zod/mini';
import { changePasswordFields, forgotPasswordFields, logInFields, profileFields, resetPasswordFields, signUpFields, verifyEmailFields } from '../account/fields.ts';
import { newFavorite } from '../favorites/fields.ts';
import { adChanges, featureFields, newAdFields, reviewFields, socialMediaFields } from '../listing/fields.ts';
import { resendAnswer, sessionAnswer, userAnswer, userView } from './schemas/accounts.ts';
import { adminAdsAnswer, adminAdView, adminUsersAnswer, adminUserView, clearedAnswer, verificationCodesAnswer, verificationCodeView } from './schemas/admin.ts';
import { adAnswer, adCard, adCountsAnswer, adListAnswer, adView, adWriteAnswer, reviewAnswer, reviewView, socialMedia } from './schemas/ads.ts';
import { doneAnswer } from './schemas/common.ts';
import { errorAnswer } from './schemas/errors.ts';
import { favoriteAnswer, favoritesAnswer } from './schemas/favorites.ts';
import { liveMessage } from './schemas/live.ts';
import { photoUploadAnswer, photoView, videoUploadAnswer, videoView } from './schemas/media.ts';
import { healthAnswer, syncAnswer } from './schemas/system.ts';

/** Schemas with a name of their own in the API document; wherever one is used, the document refers to it. */

/** What the API answers. Every property is there, and no other. */
export const ANSWERS: Readonly<Record<string, z.ZodMiniType>> = {
  UserView: userView,
  UserAnswer: userAnswer,
  SessionAnswer: sessionAnswer,
  ResendAnswer: resendAnswer,
  DoneAnswer: doneAnswer,
  PhotoView: photoView,
  VideoView: videoView,
  SocialMedia: socialMedia,
  ReviewView: reviewView,
  AdCard: adCard,
  AdView: adView,
  AdListAnswer: adListAnswer,
  AdCountsAnswer: adCountsAnswer,
  AdAnswer: adAnswer,
  AdWriteAnswer: adWriteAnswer,
  ReviewAnswer: reviewAnswer,
  UploadAnswer: photoUploadAnswer,
  VideoUploadAnswer: videoUploadAnswer,
  FavoritesAnswer: favoritesAnswer,
  FavoriteAnswer: favoriteAnswer,
  AdminUserView: adminUserView,
  AdminUsersAnswer: adminUsersAnswer,
  AdminAdView: adminAdView,
  AdminAdsAnswer: adminAdsAnswer,
  VerificationCodeView: verificationCodeView,
  VerificationCodesAnswer: verificationCodesAnswer,
  ClearedAnswer: clearedAnswer,
  HealthAnswer: healthAnswer,
  SyncAnswer: syncAnswer,
  LiveMessage: liveMessage,
  ErrorAnswer: errorAnswer,
};

/** What the API is sent. Properties that are not known are ignored. */
export const BODIES: Readonly<Record<string, z.ZodMiniType>> = {
  SignUp: signUpFields,
  LogIn: logInFields,
  VerifyEmail: verifyEmailFields,
  MailAddress: forgotPasswordFields,
  ResetPassword: resetPasswordFields,
  ChangePassword: changePasswordFields,
  Profile: profileFields,
  SocialMediaFields: socialMediaFields,
  NewAd: newAdFields,
  AdChanges: adChanges,
  NewReview: reviewFields,
  NewFavorite: newFavorite,
  Feature: featureFields,
};

import { COMMON_WORDS } from './common-words.ts';

/** Words after the name of a messenger that are no name of a person, as in `Telegram: daily`. */
const NO_NICKNAMES = new Set(
  (
    'yes no not none ask see below above on only ' +
    'available request private public soon same here please always never ' +
    'after before first open closed okay welcome preferred possible via ' +
    'with the this my your in for and or accepted ' +
    'accept accepting taken okay fine good great sure works ' +
    'work working off now later today tonight tomorrow daily ' +
    'weekly nightly hourly monthly sometimes often rarely seldom usually mostly mainly occasionally regularly ' +
    'everyday every weekdays weekends weekend monday tuesday wednesday thursday friday saturday sunday mondays ' +
    'tuesdays wednesdays thursdays fridays saturdays sundays ' +
    'morning mornings afternoon afternoons evening evenings ' +
    'night nights noon midnight until till from between during anytime any all both either neither also too even ' +
    'just maybe perhaps depends optional required needed ' +
    'necessary included extra free paid paying payment payments ' +
    'cash card cards credit deposit deposits tips ' +
    'tip verified verification verify confirmed active inactive deleted ' +
    'banned blocked suspended disabled hidden removed gone dead new old back online offline busy coming starting ' +
    'waiting pending loading unlimited limited allowed ' +
    'forbidden prohibited discreet confidential safe secure secret ' +
    'text texts texting message messages messaging call calls ' +
    'calling chat chats chatting video videos photos photo ' +
    'pictures pics clips content custom live shows show sexting booking bookings appointments appointment contact ' +
    'phone number numbers mail email link links name names username account accounts profile info details group ' +
    'channel app apps login code list button page site website search find add follow followers friends friend ' +
    'clients members subscribers subscribe fans everyone everybody ' +
    'anyone nobody somebody someone men women couples ' +
    'ladies gentlemen guys people regulars serious strictly absolutely definitely certainly exactly unavailable ' +
    'instead unfortunately sorry thanks thank kindly quick quickly ' +
    'fast faster fastest slow best better easiest easy ' +
    'when where what who why how which because but then than that these those there their its are was were will ' +
    'would can could may might must should have has had does did done use used using send sent get give given tell ' +
    'write read reply replies answer answers answered respond response responses hello hey hi love life time times ' +
    'week month year hour hours minute minutes january february march april june july august september october ' +
    'november december ' +
    'incall outcall massage massages companion company dinner date dates gfe pse party hotel hotels home visit ' +
    'visits english spanish german french italian ' +
    'telegram whatsapp kik snapchat snap instagram insta twitter facebook onlyfans fansly tiktok discord wechat ' +
    'skype viber threads cashapp venmo zelle paypal gmail signal line messenger wickr reddit bluesky ' +
    'ja nein nur nie immer täglich oft manchmal selten auf anfrage gerne bitte möglich heute morgen abends montag ' +
    'dienstag mittwoch donnerstag freitag samstag sonntag akzeptiert vorhanden unten siehe nicht keine kein ' +
    'oui non seulement jamais toujours parfois souvent quotidien demande possible aujourd demain lundi mardi ' +
    'mercredi jeudi vendredi samedi dimanche accepté disponible voir aucun ' +
    'sì sempre mai solo spesso talvolta ogni giorno domani oggi lunedì martedì mercoledì giovedì venerdì sabato ' +
    'domenica accettato richiesta disponibile nessuno ' +
    'sexting nudes selfie selfies reel reels vibe vibes peas crackle judgment fingers escort escorts gents babe ' +
    'model creator creators promo promos teaser teasers reviewed reviewer whitelisted handle handles nick nickname ' +
    'premium business messenger android iphone ipad emoji emojis dm dms pm pms inbox voice callback vegas nevada ' +
    'miami dallas houston zurich zürich basel bern geneva lugano reno strength hill booster wifi reception lost ' +
    'kontakt kontakte gruppe gruppen kanal nachricht nachrichten bilder fotos termin termine anfrage anfragen ' +
    'erreichbar benutzername verfügbar nachfrage absprache vereinbarung privat geschlossen gesperrt offen aktiv ' +
    'schreib schreibt schreibe ruf rufe melde anrufe anrufen chatten diskret sofort jederzeit rund ' +
    'bevorzugt genügt reicht erwünscht erforderlich gewünscht erlaubt verboten gelöscht unerwünscht ' +
    'obligatoire ouvert préféré souhaité gratuit actif indisponible privilégié souhaitée possibles vérifié ' +
    'obbligatorio aperto preferito attivo gratuito solamente unicamente verificato gradito ' +
    'privado obligatorio abierto activo únicamente preferido gratis verificado ' +
    'trolls troll stalkers haters timewasters scammers spammers flakes jealous genuine kiss kisses hug hugs cuddle ' +
    'cuddles wink tease naughty classy petite busty curvy ' +
    'blonde brunette redhead latina ebony asian exotic sensual ' +
    'tantra nuru bodyrub rub fetish mistress donation donations roses available availability ' +
    'wire element revolut twint lydia bizum paylib satispay bitcoin ethereum usdt monero amex visa mastercard ' +
    'maestro postfinance imessage facetime sms teams zoom threema ' +
    'icq tryst twitch youtube linktree bumble tinder grindr ' +
    'anymore anyways nowadays whatsoever lately altogether elsewhere regardless asap haha please plz thx hun dear ' +
    'darling darlings sweetie sweetheart sweetness handsome gentleman fella fellas buddy buddies daddy papi babes ' +
    'honey sugar angel mister lover lovers cutie sexy beautiful gorgeous stranger schatz schatzi süsser liebling ' +
    'liebe chéri cheri bébé bebe mon tesoro caro cariño carino amor guapo amore bello mehr plus sonst derzeit ' +
    'momentan zurzeit leider actuellement désormais attualmente momento actualmente ahora ' +
    'baddie baddies bombshell superstar foreplay hottie hotties vixen goddess queen queens princess starlet ' +
    'sensation celebrity influencer influencers playmate pornstar ' +
    'dominatrix domina girlfriend boyfriend milf milfs cougar ' +
    'kitten doll dolls dancer stripper entertainer performer provider providers hobbyist hobbyists monger mongers ' +
    'boring lame fake toxic stupid silly messy ' +
    'crazy useless annoying overrated addictive shadowbanned glitchy laggy ' +
    'groupe canal messagerie numéro appels appelez contactez écrivez écrire écris rendez tchat fermé privé bloqué ' +
    'réservation réservations discrétion ' +
    'gruppo canale messaggi messaggio chiamate chiamata ' +
    'scrivimi scrivi contattami contatto contatti privato chiuso ' +
    'prenotazione prenotazioni ' +
    'grupo mensaje mensajes llamada llamadas escríbeme escribeme escribe contacto contáctame contactame cerrado ' +
    'reserva reservas cita citas disponibles ' +
    'sí siempre nunca diario hoy mañana lunes martes miércoles jueves viernes sábado domingo aceptado solicitud'
  ).split(' '),
);

/** Checks whether a text after the name of a messenger consists of usual words and is not the name of a person. */
export const isNoNickname = (text: string): boolean =>
  text
    .toLowerCase()
    .split('-')
    .every((word) => word.length <= 2 || NO_NICKNAMES.has(word));

/** The endings of words that have another form in `COMMON_WORDS`, and what the other form has instead of them. */
const ENDINGS: readonly (readonly [ending: string, others: readonly string[]])[] = [
  ['ing', ['', 'e']],
  ['ers', ['', 'e']],
  ['er', ['', 'e']],
  ['ed', ['', 'e']],
  ['es', ['']],
  ['ly', ['']],
  ['s', ['']],
  ['d', ['']],
];

const isListed = (word: string): boolean => NO_NICKNAMES.has(word) || COMMON_WORDS.has(word);

/**
 * Checks whether a word is part of usual sentences, so that it is no name of a person or of a host. This applies to
 * each word of at most two letters.
 */
export function isCommonWord(word: string): boolean {
  const lower = word.toLowerCase();
  if (lower.length <= 2 || isListed(lower)) return true;
  return ENDINGS.some(
    ([ending, others]) =>
      lower.endsWith(ending) && others.some((other) => isListed(lower.slice(0, -ending.length) + other)),
  );
}

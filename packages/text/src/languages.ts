import { stemmer as danish } from '@orama/stemmers/danish';
import { stemmer as dutch } from '@orama/stemmers/dutch';
import { stemmer as finnish } from '@orama/stemmers/finnish';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as hungarian } from '@orama/stemmers/hungarian';
import { stemmer as italian } from '@orama/stemmers/italian';
import { stemmer as norwegian } from '@orama/stemmers/norwegian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as romanian } from '@orama/stemmers/romanian';
import { stemmer as russian } from '@orama/stemmers/russian';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { stemmer as swedish } from '@orama/stemmers/swedish';
import { stemmer as turkish } from '@orama/stemmers/turkish';
import { englishStem as english } from './english.js';
import { stopWords } from './stop-words.js';

/** A language in which texts are indexed. */
export interface Language {
  readonly name: string;
  readonly stem: (word: string) => string;
  readonly stopWords: ReadonlySet<string>;
}

const stemmers: Readonly<Record<string, (word: string) => string>> = {
  danish,
  dutch,
  english,
  finnish,
  french,
  german,
  hungarian,
  italian,
  norwegian,
  portuguese,
  romanian,
  russian,
  spanish,
  swedish,
  turkish,
};

const codes: Readonly<Record<string, string>> = {
  da: 'danish',
  nl: 'dutch',
  en: 'english',
  fi: 'finnish',
  fr: 'french',
  de: 'german',
  hu: 'hungarian',
  it: 'italian',
  nb: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  es: 'spanish',
  sv: 'swedish',
  tr: 'turkish',
};

const none: Language = { name: 'none', stem: word => word, stopWords: new Set() };

/** Returns the language with a name or code. Other names stand for a language without stems and stop words. */
export const languageOf = (given: string): Language => {
  const name = Object.hasOwn(codes, given) ? codes[given]! : given;
  if (!Object.hasOwn(stemmers, name)) return none;
  return { name, stem: stemmers[name]!, stopWords: new Set(stopWords[name]) };
};

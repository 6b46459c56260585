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

/** The number of stems that are remembered for each language. */
const mostStems = 20_000;

/** Returns a stemmer that remembers its results, because the same words occur in many texts. */
const remembering = (stemmer: (word: string) => string): ((word: string) => string) => {
  const known = new Map<string, string>();
  return word => {
    let stem = known.get(word);
    if (stem === undefined) {
      stem = stemmer(word);
      if (known.size === mostStems) known.clear();
      known.set(word, stem);
    }
    return stem;
  };
};

const none: Language = { name: 'none', stem: word => word, stopWords: new Set() };

/** Whether a language is given by its code. */
export const isCode = (given: string): boolean => Object.hasOwn(codes, given);

/** Returns the name of a language that is given by name or code. Others have the name `none`. */
export const nameOf = (given: string): string => {
  const name = isCode(given) ? codes[given]! : given;
  return Object.hasOwn(stemmers, name) ? name : 'none';
};

/** Returns the language with a name. */
export const languageOf = (name: string): Language =>
  name === 'none' ? none : { name, stem: remembering(stemmers[name]!), stopWords: new Set(stopWords[name]) };

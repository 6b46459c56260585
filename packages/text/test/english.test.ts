import { expect, test } from 'vitest';
import { englishStem } from '../src/english.js';

const stems = `
  consign:consign consigned:consign consigning:consign consignment:consign consist:consist consisted:consist
  consistency:consist consistent:consist consistently:consist consisting:consist consists:consist consolation:consol
  consolations:consol consolatory:consolatori console:consol consoled:consol consoles:consol consolidate:consolid
  consolidated:consolid consoling:consol consolingly:consol consols:consol consonant:conson consort:consort
  consorted:consort consorting:consort conspicuous:conspicu conspicuously:conspicu conspiracy:conspiraci
  conspirator:conspir conspirators:conspir conspire:conspir conspired:conspir conspiring:conspir constable:constabl
  constables:constabl constance:constanc constancy:constanc constant:constant knack:knack knackeries:knackeri
  knacks:knack knag:knag knave:knave knaves:knave knavish:knavish kneaded:knead kneading:knead knee:knee kneel:kneel
  kneeled:kneel kneeling:kneel kneels:kneel knees:knee knell:knell knelt:knelt knew:knew knick:knick knif:knif
  knife:knife knight:knight knightly:knight knights:knight knit:knit knits:knit knitted:knit knitting:knit knives:knive
  knob:knob knobs:knob knock:knock knocked:knock knocker:knocker knockers:knocker knocking:knock knocks:knock
  knopp:knopp knot:knot knots:knot running:run baking:bake coffee:coffe shopping:shop happy:happi skies:sky
  generously:generous relational:relat hopping:hop hoping:hope luxuriating:luxuri by:by say:say cry:cri enjoy:enjoy
  ties:tie cries:cri gas:gas this:this gaps:gap kiwis:kiwi national:nation rationally:ration adoption:adopt
  communication:communic agreed:agre feed:feed dogs:dog jumps:jump
  dying:die inning:inning proceed:proceed news:news 'tis:tis cat's:cat hopeful:hope bleeding:bleed falling:fall
  controlling:control roll:roll happiness:happi electricity:electr formative:format fly:fli classes:class stresses:stress
  YES:YES`;

test.each(
  stems
    .trim()
    .split(/\s+/)
    .map(pair => pair.split(':') as [string, string]),
)('the stem of %s is %s', (word, stem) => {
  expect(englishStem(word)).toBe(stem);
});

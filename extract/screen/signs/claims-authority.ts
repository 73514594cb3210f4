import { phrases } from "../sign.ts";
import type { Sign } from "../sign.ts";

/** Claims precedence, or somebody's permission. */
export const claimsAuthority: readonly Sign[] = [
  ...phrases(
    "claims_authority",
    2.5,
    "policy ~3 obliges/requires/mandates/demands ~3 {ai}",
    "new directive/directives/instructions",
  ),
  ...phrases(
    "claims_authority",
    2,
    ". you have ~2 permission/authority/authorization/authorisation/approval/clearance/consent",
    "this/message/notice/order/request ~2 from/by ~2 me/anthropic/openai/google/microsoft/your ~2",
    "by_order_of/on_behalf_of/on_the_orders_of/in_the_name_of ~3",
    "is an instruction/order/command/directive of/from/by",
    "must_comply/must_obey/strictly_adhere/full_compliance/comply_with/have_to_comply/has_to_comply",
    "you_are/youre/you_were/you_have_been ~1 obliged/selected/chosen/authorized/authorised/permitted/instructed/ordered/commanded/required ~1 to/for/by",
    "{users} ~1 has/have ~1 consented/agreed/approved/authorized/authorised",
    "comply/obey ~3 all/every/any/this/these/it",
    "system notice/warning/alert/directive/override/instruction/update",
    "important/urgent/special message/notice from/for/to",
    "{demanded} ~2 {pretext} ~2 requirement/step/check/review/operation/update/procedure/measure/action",
    "for ~2 {pretext} ~2 purposes/reasons",
    "{pretext} requirement/policy ~3 :/requires/demands",
    "priority task/override/instruction/order",
    "authorized/approved/authorised/signed_off/ordered by ~3 {person}/administrator/anthropic/openai/team",
    "full authorization/authorisation/authority/clearance",
    "refusal/refusals/refuse/refusing ~6 forbidden/blocked/prohibited/disabled/impossible/not_permitted/not_allowed/no_longer",
    "above/over/outranks/overrides/before ~2 system_prompt/developer/operator",
  ),
  ...phrases(
    "claims_authority",
    1.5,
    "{user} ~2 approved/consented/agreed/authorized/authorised/confirmed/informed/verified",
  ),
];

/** Language models, agents, tools and retrieval. */
export const models = `
  made up | made up answers > hallucination
  how many tokens > usage token count
  how expensive | how much money > cost usage
  cost of > usage price
  make the model | tell the model > prompt instruction
  model to use | different model | another model | change the model > model provider
  own model > provider custom local
  answer questions about | own data > rag retrieval
  my documents | own documents > rag retrieval knowledge
  remember earlier | remember what | earlier messages | previous messages > memory history
  conversation going > memory history session
  long conversation > memory summary context
  too long for > context limit truncate
  call functions | call my function | use my function | call my code | talk to apis > tool
  call an api > tool request
  several agents > workflow multi network
  many steps | several steps | multi step > workflow
  how good > evaluate score
  good answers > evaluate
  human in the loop | person approves | wait for a human > approval suspend
  approve before > approval suspend confirm
  wait for * approval > suspend
`;
